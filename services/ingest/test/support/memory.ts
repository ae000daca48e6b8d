/** The maximum resident memory of ingest, according to docs/operations.md. */
export const residentBytesMax = 256 * 1_048_576
