// Erasing a person, and withdrawing consent for levels: two separate dialogs, so that an empty field never turns one
// into the other. Neither can be undone, so the person's value must be typed again.
import { useState } from 'preact/hooks'
import type { Calls } from '../api/calls.ts'
import { erase } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import type { FoundIn } from '../api/people.ts'
import { listContracts, listInputs } from '../api/resources.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { Typed } from '../ui/typed.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { useLoad } from '../ui/use-load.ts'
import { dayOf, many } from '../ui/words.ts'
import { levelsIn } from './levels.ts'
import type { KnownLevel } from './levels.ts'

export type Kind = 'erase' | 'withdraw'

type Props = {
  readonly kind: Kind
  readonly calls: Calls
  readonly searchId: string
  readonly found: FoundIn
  /** The value that was searched. */
  readonly person: string
  readonly onClose: () => void
  readonly onDone: (made: Made) => void
}

export function PersonDialog({ kind, calls, searchId, found, person, onClose, onDone }: Props) {
  const [levels, setLevels] = useState<readonly number[]>([])
  const [reference, setReference] = useState('')
  const [dueOn, setDueOn] = useState('')
  const [typed, setTyped] = useState('')
  const isErasing = kind === 'erase'
  const doing = useDoing(async () => {
    const made = await erase(calls, found.stream, {
      searchId,
      ...(isErasing ? {} : { levels }),
      ...(found.events === 0 ? { evenIfNoneFound: true } : {}),
      ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
      ...(dueOn === '' ? {} : { dueOn }),
    })
    onDone(made)
  })
  const { stream, events } = found
  const known = useKnownLevels(calls, found)
  if (!isErasing && known.value === undefined && known.error === undefined) return null
  const title = isErasing ? `Erase this person from ${stream}` : `Withdraw a consent in ${stream}`
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={doing.onSubmit}>
        <p>
          <strong>{person}</strong>: {many(events, 'event')} found in {stream}.
          {events === 0 ? ' The record and its receipt will say so.' : ''}
        </p>
        {isErasing ? null : <Levels {...{ known, found, levels }} onLevels={setLevels} />}
        {isErasing ? <WhatErasingDoes found={found} /> : <p>{whatWithdrawingDoes}</p>}
        <Remaining {...{ found, known }} levels={isErasing ? undefined : levels} />
        <div class="two">
          <Reference value={reference} onValue={setReference} />
          <Due value={dueOn} onValue={setDueOn} />
        </div>
        <Typed text={person} value={typed} onValue={setTyped} />
        <Problems of={doing.error} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="danger"
            disabled={doing.isDoing || typed !== person || (!isErasing && levels.length === 0)}
          >
            {isErasing ? 'Erase' : 'Withdraw'}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

type RemainingProps = Pick<LevelsProps, 'known' | 'found'> & {
  readonly levels: readonly number[] | undefined
}

/** The outputs whose decrypted fields stay: of all levels, or of the chosen ones. */
function Remaining({ known, found: { held }, levels }: RemainingProps) {
  const chosen = known.value?.filter(({ level }) => levels?.includes(level)) ?? []
  const concerned = new Set(
    chosen.flatMap(({ outputs, decryptedIn }) => [...outputs, ...decryptedIn]),
  )
  const outputs = held.filter(
    ({ kind, name, decrypted }) =>
      kind !== 'input' &&
      decrypted.length > 0 &&
      (levels === undefined || kind === 'deleted' || concerned.has(name)),
  )
  if (outputs.length === 0) return null
  return (
    <>
      <p>These outputs keep what they have decrypted, until Kafka deletes it:</p>
      <ul class="plain">
        {outputs.map(({ name, kind, until }) => (
          <li key={`${kind} ${name}`}>
            {name}: {until === 'unknown' ? 'nobody knows when' : `until ${dayOf(until)}`}
          </li>
        ))}
      </ul>
    </>
  )
}

type LevelsProps = Pick<Props, 'found'> & {
  readonly known: ReturnType<typeof useKnownLevels>
  readonly levels: readonly number[]
  readonly onLevels: (levels: readonly number[]) => void
}

const useKnownLevels = (calls: Calls, { stream, by }: FoundIn) =>
  useLoad(async () => {
    const [inputs, contracts] = await Promise.all([listInputs(calls), listContracts(calls)])
    const held = contracts.filter(({ id }) => by.some(({ contract }) => contract === id))
    const outputs = inputs.find(({ name }) => name === stream)?.outputs ?? []
    return levelsIn(outputs, held.length === 0 ? contracts : held)
  }, [calls, stream, by])

function Levels({ known, found, levels, onLevels }: LevelsProps) {
  return (
    <fieldset>
      <legend>
        Which levels? <span class="hint">Other levels stay as they are</span>
      </legend>
      <Problems of={known.error} />
      {known.value?.map((each) => (
        <label key={each.level} class="check">
          <input
            type="checkbox"
            checked={levels.includes(each.level)}
            disabled={found.withdrawn.includes(each.level)}
            onChange={(event) =>
              onLevels(
                event.currentTarget.checked
                  ? [...levels, each.level].toSorted((a, b) => a - b)
                  : levels.filter((level) => level !== each.level),
              )
            }
          />
          <LevelInWords {...each} isWithdrawn={found.withdrawn.includes(each.level)} />
        </label>
      ))}
    </fieldset>
  )
}

type LevelProps = KnownLevel & { readonly isWithdrawn: boolean }

const LevelInWords = ({ level, outputs, fields, isWithdrawn }: LevelProps) => (
  <span>
    Level {level}
    <span class="hint">
      {isWithdrawn ? ' already withdrawn;' : ''}
      {outputs.length === 0 ? '' : ` of ${named('output', outputs)}`}
      {outputs.length > 0 && fields.length > 0 ? ';' : ''}
      {fields.length === 0 ? '' : ` of ${named('field', fields)}`}
    </span>
  </span>
)

const named = (what: string, names: readonly string[]): string =>
  `the ${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`

type TextProps = { readonly value: string; readonly onValue: (value: string) => void }

function Reference({ value, onValue }: TextProps) {
  return (
    <label>
      Reference{' '}
      <span class="hint">
        optional, such as a ticket number. Requests do not name people: without it you cannot find
        the request of this person again
      </span>
      <input
        maxLength={200}
        autocomplete="off"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  )
}

const Due = ({ value, onValue }: TextProps) => (
  <label>
    Due <span class="hint">optional: when the person must have an answer</span>
    <input type="date" value={value} onInput={(event) => onValue(event.currentTarget.value)} />
  </label>
)

function WhatErasingDoes({ found: { held, by, events } }: Pick<Props, 'found'>) {
  const until = held.find(({ kind }) => kind === 'input')?.until ?? ''
  const fields = [...new Set(by.map(({ field }) => field))].join(' or ')
  return (
    <>
      <p>
        Weir never again decrypts a personal field in an event that was sent until now with this
        value {fields === '' ? 'as the name of the person' : `in ${fields}`}, in the stream or in a
        copy of it. Events with the person's data in other fields alone are not erased. Later events
        are encrypted as for a new person.
      </p>
      {events === 0 ? null : (
        <p>
          A copy for the person must be downloaded before. The events stay, with their other fields,{' '}
          {until === '' || until === 'unknown'
            ? 'until Kafka deletes them'
            : `until ${dayOf(until)}`}
          .
        </p>
      )}
    </>
  )
}
const whatWithdrawingDoes =
  'From now on Weir handles all stored events of this person as if they had been sent without these levels. It never again ' +
  'decrypts their fields of these levels, not even for a copy for the person, so download the copy before. Later events keep ' +
  'the consent levels with which they are sent.'
