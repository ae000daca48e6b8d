// One erasure: its past and expected states, where decrypted values remain, and its receipt.
import type { Session } from '../session.ts'
import { receiptOf, verifyPage } from '../api/erasures.ts'
import { isRecord, timeOf } from '../api/erasure.ts'
import type { Erasure, ErasureState } from '../api/erasure.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { fileNameOf } from '../ui/file-name.ts'
import { saveFile } from '../ui/save-file.ts'
import { useDoing } from '../ui/use-doing.ts'
import { byTime, completeBy, dateAndTime, dayOf, many } from '../ui/words.ts'
import { Holdings } from './holdings.tsx'
import { NotedInRequest } from './noted-in-request.tsx'
import { VerifyLink } from './verify-link.tsx'
import { isLate } from './wanted.ts'
import type { OfStream } from './wanted.ts'

const inWords = {
  accepted: () => 'accepted',
  applied: ({ stream }: OfStream) =>
    `applied by all services: it has taken effect in ${stream}. When all requests for the person are applied, you can write to them`,
  complete: ({ levels }: OfStream) =>
    levels === undefined
      ? 'complete: Weir has deleted the keys of these events'
      : 'complete: Weir has deleted the keys of these levels for these events',
} as const

type Props = {
  readonly session: Session
  readonly erasure: OfStream
  /** All input streams of the account. */
  readonly all: readonly string[]
  readonly onChanged: () => void
}

export function OneErasure({ session, erasure, all, onChanged }: Props) {
  const { id, found, reference, dueOn } = erasure
  const isComplete = timeOf(erasure, 'complete') !== ''
  return (
    <li class="card">
      <header>
        <h2>{headingOf(erasure, useLevelWords())}</h2>
        <span>
          {many(found, 'event')} found in {erasure.stream}
        </span>
        {reference === '' ? null : <span>{reference}</span>}
        {dueOn === '' ? null : (
          <span class={isLate(erasure) ? 'overdue' : 'muted'}>
            due {dayOf(dueOn)}
            {isLate(erasure) ? (isComplete ? ', was late' : ', overdue') : ''}
          </span>
        )}
        <code class="muted">{id}</code>
      </header>
      <ol class="states">
        {(['accepted', 'applied', 'complete'] as const).map((state) => (
          <li key={state} class={timeOf(erasure, state) === '' ? undefined : 'reached'}>
            <span>{timeOf(erasure, state) === '' ? state : inWords[state](erasure)}</span>{' '}
            <span class="muted small">{whenOf(erasure, state)}</span>
          </li>
        ))}
      </ol>
      {erasure.incompleteSince === '' ? null : (
        <p class="problems">
          A restore of Weir has lost some of the links to events of this person since{' '}
          {dateAndTime(erasure.incompleteSince)}. Erase the person by the values of the key field,
          too.
        </p>
      )}
      <NotedInRequest {...{ session, erasure, all, onChanged }} />
      <Holdings erasure={erasure} />
      {erasure.isBesideKey ? (
        <p>
          {erasure.levels === undefined ? 'This covers' : 'For these levels, this covers'} all
          events with the same value in the key field, such as a device or a session, also those
          that name other people or nobody.
        </p>
      ) : null}
      <EventsStay erasure={erasure} />
      <p class="muted small">{masterKeysOf(erasure)}</p>
      <Receipt {...{ session, erasure }} />
    </li>
  )
}

function EventsStay({ erasure }: Pick<Props, 'erasure'>) {
  const { stream, eventsUntil, found, levels } = erasure
  if (eventsUntil === '' || found === 0) return null
  return (
    <p>
      The events stay in {stream}
      {levels === undefined ? ', with their fields that are not personal' : ''}:{' '}
      {eventsUntil === 'unknown' ? 'it is not known until when' : `until ${dayOf(eventsUntil)}`}.
    </p>
  )
}

function headingOf(erasure: Erasure, words: LevelWords): string {
  const people = many(erasure.values, 'person', 'people')
  if (isRecord(erasure)) return `Nothing found: record for ${people}`
  const isComplete = timeOf(erasure, 'complete') !== ''
  if (erasure.levels === undefined) return isComplete ? `${people} erased` : `Erasing ${people}`
  const consent = `level ${erasure.levels.map(words).join(', ')} for ${people}`
  return isComplete ? `Withdrawn: ${consent}` : `Withdrawing ${consent}`
}

function whenOf(erasure: Erasure, state: ErasureState): string {
  const at = timeOf(erasure, state)
  if (at !== '') return dateAndTime(at)
  const expectedBy = erasure.states.get(state)?.expectedBy ?? ''
  return state === 'complete' ? completeBy(expectedBy) : byTime(expectedBy)
}

function masterKeysOf(erasure: Erasure): string {
  const at = timeOf(erasure, 'destroyed')
  return at === ''
    ? '«Complete» means that Weir has deleted the keys, and can never decrypt again what this covers. An old backup of Weir may still contain these keys, encrypted with the master keys of that time. Whether and when to destroy these master keys is for the operators of Weir to decide.'
    : `No key is left: the master keys of that time were destroyed, too, as far as Weir can know: ${dateAndTime(at)}.`
}

function Receipt({ session: { calls, may }, erasure }: Omit<Props, 'all' | 'onChanged'>) {
  const receipt = () => receiptOf(calls, erasure.stream, erasure.id)
  const downloading = useDoing(async () => {
    const file = new Blob([await receipt()], { type: 'application/jose' })
    saveFile(file, `${fileNameOf(erasure, 'receipt')}.jws`)
  })
  const reading = useDoing(() =>
    openAt(async () => `${verifyPage(calls.where)}#${await receipt()}`),
  )
  if (!may('officer')) return null
  if (timeOf(erasure, 'complete') === '')
    return <p class="muted small">The receipt can be downloaded once this is complete.</p>
  return (
    <>
      <p class="row">
        <button type="button" onClick={downloading.run} disabled={downloading.isDoing}>
          Download receipt
        </button>
        <button type="button" onClick={reading.run} disabled={reading.isDoing}>
          Read and print receipt
        </button>
      </p>
      <p class="small">
        Save the receipt: when the stream is deleted, its receipts are deleted, too.
      </p>
      <p class="small">
        Anyone can check that it is genuine, and, with the salt, whether it is about a value,
        without an account: <VerifyLink where={calls.where} />
      </p>
      <Problems of={downloading.error ?? reading.error} />
    </>
  )
}

/** Opens a new tab. Browsers only allow this during a click, so the tab is opened before its address is known. */
async function openAt(address: () => Promise<string>): Promise<void> {
  const tab = window.open('')
  if (tab === null) throw new Error('The browser does not allow a new tab: download the receipt')
  try {
    tab.opener = null
    tab.location.href = await address()
  } catch (error) {
    tab.close()
    throw error
  }
}
