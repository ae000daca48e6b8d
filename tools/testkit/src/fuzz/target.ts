// A fuzz target: a function that reads untrusted octets, and how it may end.
export type FuzzTarget = {
  /** The name of the target. Its corpus is in `tools/testkit/fuzz/<name>/`. */
  readonly name: string
  /** Reads the octets. Any exception other than an AppError is a finding. */
  readonly run: (octets: Buffer) => unknown
  /** Words of the octets' language. */
  readonly words: readonly string[]
}
