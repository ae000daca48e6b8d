/** How much memory ingest keeps resident at most, by docs/operations.md. */
export const residentBytesMax = 256 * 1_048_576
