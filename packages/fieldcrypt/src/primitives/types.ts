// What `plain.ts` and `wasm.ts` both provide.
export type MacHash = 'sha256' | 'sha512'

/** HMAC under one key, which is prepared once. The key is in a closure, so that no log shows it. */
export type MacKey = { mac(message: Uint8Array): Buffer }

export type Primitives = {
  /** A key of 32 bytes. The caller must overwrite them after use. */
  macKey(hash: MacHash, key: Uint8Array): MacKey
  /** The node at the end of `digits` below `node`. Returns a new array, also if there are no digits. */
  walk(node: Uint8Array, digits: string): Uint8Array
  /** A key of 32 bytes. The caller must overwrite them after use. */
  levelKey(key: Uint8Array): LevelKey
  /** AES-256 of single blocks. */
  encryptor(key: Uint8Array): (block: Uint8Array) => Buffer
  readonly siv: Siv
}

/** Where a level's key comes from: HMAC-SHA-512 of the leaf that is `digits` below the node, and of the tail. */
export type LevelOf = {
  readonly node: Uint8Array
  readonly digits: string
  readonly tail: Uint8Array
}

export type LevelKey = {
  /** A cipher for `siv`. */
  cipher(of: LevelOf): number
  /** The 64 bytes of its key. The caller must overwrite them after use. */
  sivKey(of: LevelOf): Buffer
}

/**
 * AES-SIV (RFC 5297) with 64-byte keys and one string of associated data. A cipher is only a number, so that no log or
 * inspector shows its key. Data and associated data are in the workspace (workspace.ts).
 */
export type Siv = {
  /** A workspace for data and associated data of so many bytes together, valid until the next call of any function. */
  workspaceFor(bytes: number): Workspace
  /** Keeps a cipher until `wipe`. Overwrites the key. */
  add(key: Uint8Array): number
  /** Encrypts the data in place, and writes the synthetic IV before them. */
  seal(cipher: number, data: Lengths): void
  /** Decrypts the data in place. Returns false if they are not authentic, and overwrites them. */
  open(cipher: number, data: Lengths): boolean
  wipe(cipher: number): void
}

export type Lengths = { readonly length: number; readonly adLength: number }

export type Workspace = { readonly bytes: Buffer; readonly view: DataView }
