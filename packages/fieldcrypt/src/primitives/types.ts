// The interface of `plain.ts` and `wasm.ts`.
export type MacHash = 'sha256' | 'sha512'

/** HMAC with one key, which is prepared once. The key is in a closure, so that no log shows it. */
export type MacKey = { mac(message: Uint8Array): Buffer }

export type Primitives = {
  /** `key` has 32 bytes, which the caller must overwrite after use. */
  macKey(hash: MacHash, key: Uint8Array): MacKey
  /** Returns the node that the path `digits` reaches from `node`: always a new array, even without digits. */
  walk(node: Uint8Array, digits: string): Uint8Array
  /** `key` has 32 bytes, which the caller must overwrite after use. */
  levelKey(key: Uint8Array): LevelKey
  /** Returns a function that encrypts single blocks with AES-256. */
  encryptor(key: Uint8Array): (block: Uint8Array) => Buffer
  readonly siv: Siv
}

/** A level's sivKey is the HMAC-SHA-512 of leaf ‖ `tail`. The path `digits` leads from `node` to the leaf. */
export type LevelOf = {
  readonly node: Uint8Array
  readonly digits: string
  readonly tail: Uint8Array
}

export type LevelKey = {
  /** Adds a cipher to `siv`, and returns its number. */
  cipher(of: LevelOf): number
  /** Returns the 64 bytes of the sivKey. The caller must overwrite them after use. */
  sivKey(of: LevelOf): Buffer
}

/**
 * AES-SIV (RFC 5297) with 64-byte keys and one string of associated data. A cipher is only a number, so that no log or
 * inspector shows its key. Data and associated data are in the workspace (workspace.ts).
 */
export type Siv = {
  /**
   * Returns a workspace for this many bytes of data and associated data together. Any call but `seal` and `open` makes
   * it invalid.
   */
  workspaceFor(bytes: number): Workspace
  /** Adds a cipher, which exists until `wipe`, and returns its number. Overwrites the key. */
  add(key: Uint8Array): number
  /** Encrypts the data in place, and writes the synthetic IV before them. */
  seal(cipher: number, data: Lengths): void
  /** Decrypts the data in place. If they are not authentic, overwrites them and returns false. */
  open(cipher: number, data: Lengths): boolean
  wipe(cipher: number): void
}

export type Lengths = { readonly length: number; readonly adLength: number }

export type Workspace = { readonly bytes: Buffer; readonly view: DataView }
