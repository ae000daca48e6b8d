/** What docs/operations.md promises that ingest keeps resident. */
export const residentBytesMax = 256 * 1_048_576
