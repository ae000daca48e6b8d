// A fuzz target: a function that reads untrusted octets, and how it may end.
export type FuzzTarget = {
  /** The corpus is in `tools/testkit/fuzz/<name>/`. */
  readonly name: string
  /** Reads the octets. An exception without an error code is a finding. */
  readonly run: (octets: Buffer) => unknown
  /** Words of the input's language, for mutations. */
  readonly words: readonly string[]
}
