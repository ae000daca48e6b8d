// Downloads the receipts of all requests in a list as one file.
import { useState } from 'preact/hooks'
import { Refused } from '../api/calls.ts'
import type { Calls } from '../api/calls.ts'
import { timeOf } from '../api/erasure.ts'
import { receiptOf } from '../api/erasures.ts'
import { whenFree } from '../api/when-free.ts'
import { Problems } from '../ui/problems.tsx'
import { saveFile } from '../ui/save-file.ts'
import { useDoing } from '../ui/use-doing.ts'
import { many } from '../ui/words.ts'
import { receiptsFile } from './receipts-file.ts'
import type { Receipt } from './receipts-file.ts'
import type { OfStream } from './wanted.ts'

type Props = { readonly calls: Calls; readonly erasures: readonly OfStream[] }

export function AllReceipts({ calls, erasures }: Props) {
  const [said, setSaid] = useState('')
  const complete = erasures.filter((erasure) => timeOf(erasure, 'complete') !== '')
  const downloading = useDoing(async () => {
    setSaid('')
    const receipts: Receipt[] = []
    for (const [at, { id, reference, stream }] of complete.entries()) {
      setSaid(`${at} of ${many(complete.length, 'receipt')} …`)
      const receipt = await receiptIfAny(calls, stream, id)
      if (receipt !== undefined) receipts.push({ id, reference, receipt })
    }
    saveFile(new Blob([receiptsFile(receipts)], { type: 'application/zip' }), 'receipts.zip')
    setSaid(`Saved the receipts of ${receipts.length} of ${many(erasures.length, 'request')}.`)
  })
  const later = erasures.length - complete.length
  if (erasures.length === 0) return null
  return (
    <>
      <div class="bar">
        <button
          type="button"
          onClick={downloading.run}
          disabled={downloading.isDoing || complete.length === 0}
        >
          Download {many(complete.length, 'receipt')}
        </button>
        {later === 0 ? null : (
          <span class="small">
            {many(later, 'request is', 'requests are')} not complete, and{' '}
            {later === 1 ? 'has' : 'have'} no receipt yet.
          </span>
        )}
        <span role="status">{said}</span>
      </div>
      <Problems of={downloading.error} />
    </>
  )
}

/** Returns undefined if the stream was deleted in the meantime. */
async function receiptIfAny(calls: Calls, stream: string, id: string): Promise<string | undefined> {
  try {
    return await whenFree(() => receiptOf(calls, stream, id))
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}
