// The receipts of several requests as one zip file. Pure.
import { strToU8, zipSync } from 'fflate'
import type { Erasure } from '../api/erasure.ts'
import { fileNameOf } from '../ui/file-name.ts'

export type Receipt = Pick<Erasure, 'id' | 'reference'> & { readonly receipt: string }

/** Contains the files that «Download receipt» saves. */
export const receiptsFile = (receipts: readonly Receipt[]): Uint8Array<ArrayBuffer> =>
  zipSync(
    Object.fromEntries(
      receipts.map((each) => [`${fileNameOf(each, 'receipt')}.jws`, strToU8(each.receipt)]),
    ),
  )
