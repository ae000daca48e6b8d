// What is fuzzed: something that reads octets of a stranger, and how it may end.
export type FuzzTarget = {
  /** Its corpus lies in `tools/testkit/fuzz/<name>/`. */
  readonly name: string
  /** Reads the octets. Whatever it throws is found, but an AppError. */
  readonly run: (octets: Buffer) => unknown
  /** Words of the language that the octets are in. */
  readonly words: readonly string[]
}
