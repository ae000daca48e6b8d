// The memory of one call. The caller writes into IO and KEY, calls one function, reads OUT, and calls `wipe`. Ciphers
// and workspaces (siv.ts), which the caller allocates, follow in the memory.

/** The message schedule of the current block, or the key schedule of `encryptBlock`. */
export const W = memory.data(640)
export const STATE = memory.data(64)

/** The size of the longest message with its padding. */
const IO_BYTES = 4_096
export const IO = memory.data(4_096)
/** The two states of an HMAC key: after the block of the inner padding, and after that of the outer padding. */
export const KEY = memory.data(128)
export const OUT = memory.data(64)

/** Overwrites W, STATE, KEY and OUT, and the first `used` bytes of IO. */
export function wipe(used: i32): void {
  memory.fill(W, 0, 640)
  memory.fill(STATE, 0, 64)
  memory.fill(KEY, 0, 128)
  memory.fill(OUT, 0, 64)
  memory.fill(IO, 0, min(used, IO_BYTES))
}
