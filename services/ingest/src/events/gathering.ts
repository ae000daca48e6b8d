// Joins octets from several chunks by copying. So a small part does not keep a large chunk in memory, and announced
// octets take no memory before they arrive. No I/O.

const firstBytes = 1_024
const nothing = Buffer.alloc(0)

export type Gathering = {
  readonly length: number
  add(octets: Buffer): void
  /** Returns all octets and empties the gathering. */
  take(): Buffer
  forget(): void
}

export function createGathering(): Gathering {
  let bytes: Buffer = nothing
  let length = 0
  const forget = (): void => {
    bytes = nothing
    length = 0
  }
  return {
    get length() {
      return length
    },
    add(octets) {
      const needed = length + octets.length
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length, firstBytes))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      octets.copy(bytes, length)
      length = needed
    },
    take() {
      const all = bytes.subarray(0, length)
      forget()
      return all
    },
    forget,
  }
}
