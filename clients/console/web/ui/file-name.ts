// The names of files about a request. Pure.
import type { Erasure } from '../api/erasure.ts'

/**
 * Returns «TICKET-7-receipt-<id>», in characters that every file system permits. Requests in several streams may have
 * the same reference, so only the id makes the name unique.
 */
export function fileNameOf({ id, reference }: Pick<Erasure, 'id' | 'reference'>, what: string) {
  const plain = reference.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '')
  return [plain.slice(0, 60), what, id].filter((part) => part !== '').join('-')
}
