// Shows which requests a restore from a backup may have undone.
import type { Input } from '../api/account.ts'
import { dateAndTime } from '../ui/words.ts'

export function LostRequests({ inputs }: { readonly inputs: readonly Input[] }) {
  const windows = inputs.flatMap(({ erasuresLost }) => erasuresLost)
  const each = new Map(windows.map((window) => [window.since, window]))
  return (
    <>
      {[...each.values()].map(({ since, until }) => (
        <p key={since} class="problems" role="alert">
          Weir was restored from a backup. Requests that were accepted between {dateAndTime(since)}{' '}
          and {dateAndTime(until)} may be undone, and are not in this list. Make them again.
          Receipts of these requests are no longer true.
        </p>
      ))}
    </>
  )
}
