// The receipts of several requests as one zip file. Pure.
import { strToU8, zipSync } from 'fflate'
import type { Erasure } from '../api/erasure.ts'

export type Receipt = Pick<Erasure, 'id' | 'reference'> & { readonly receipt: string }

/** Each file is the one that «Download receipt» saves. */
export const receiptsFile = (receipts: readonly Receipt[]): Uint8Array<ArrayBuffer> =>
  zipSync(Object.fromEntries(receipts.map((each) => [nameOf(each), strToU8(each.receipt)])))

/** Requests in several streams may have the same reference, so only the id makes the name unique. */
function nameOf({ id, reference }: Receipt): string {
  const plain = reference.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '')
  return `${[plain.slice(0, 60), 'receipt', id].filter((part) => part !== '').join('-')}.jws`
}
