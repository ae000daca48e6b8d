// The dialogs for erasing a person and for withdrawing consent. They are separate, so that an empty field never turns a
// withdrawal into an erasure. Neither can be undone, so the user must type the person's value again. Each stream gets
// its own erasure.
import { useState } from 'preact/hooks'
import type { Output } from '../api/account.ts'
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
import { many } from '../ui/words.ts'
import { useLevelWords, usePurposes } from '../purposes/use-purposes.ts'
import { levelsIn } from './levels.ts'
import type { KnownLevel } from './levels.ts'
import { Due, Reference } from '../ui/request-fields.tsx'
import { OnlyTheseFields } from './searched-fields.tsx'
import type { Fields } from './searched-fields.tsx'
import {
  Remaining,
  WhatErasingDoes,
  WhatRecordingDoes,
  WhatWithdrawingDoes,
} from './what-it-does.tsx'

/** `record`: an erasure where nothing was found. */
export type Kind = 'erase' | 'record' | 'withdraw'

export type AskedOf = {
  readonly kind: Kind
  /** One for each stream, and at least one. */
  readonly found: readonly [FoundIn, ...FoundIn[]]
}

/** An accepted request, or why it was refused. */
export type StreamAnswer = { readonly found: FoundIn } & (
  | { readonly made: Made }
  | { readonly error: unknown }
)

type Props = AskedOf & {
  readonly calls: Calls
  readonly searchId: string
  /** The value that was searched. */
  readonly person: string
  readonly fields: Fields
  readonly onClose: () => void
  /** Called if at least one request was accepted. */
  readonly onDone: (answers: readonly StreamAnswer[]) => void
}

const titles = {
  erase: 'Erase this person from',
  record: 'Record that nothing was found in',
  withdraw: 'Withdraw a consent in',
} as const satisfies Record<Kind, string>
const verbs = { erase: 'Erase', record: 'Record', withdraw: 'Withdraw' } as const

export function PersonDialog({ kind, found, person, fields, onClose, ...rest }: Props) {
  const [levels, setLevels] = useState<readonly number[]>([])
  const [reference, setReference] = useState('')
  const [dueOn, setDueOn] = useState('')
  const [typed, setTyped] = useState('')
  const chosen = kind === 'withdraw' ? levels : undefined
  const isEmpty = levels.length === 0 && `${reference}${dueOn}${typed}` === ''
  const doing = useRequests({ ...rest, kind, found }, { levels: chosen, reference, dueOn })
  const known = useKnownLevels(rest.calls, found)
  if (kind === 'withdraw' && known.value === undefined && known.error === undefined) return null
  return (
    <Dialog
      title={`${titles[kind]} ${found.map(({ stream }) => stream).join(', ')}`}
      wide
      guard={isEmpty ? undefined : 'What you have entered is not sent, and not kept.'}
      onClose={onClose}
    >
      <form onSubmit={doing.onSubmit}>
        <p>
          <strong>{person}</strong>:{' '}
          {found
            .map(({ stream, events }) => `${many(events, 'event')} found in ${stream}`)
            .join(', ')}
          .
        </p>
        {chosen && <Levels {...{ known, levels, found }} onLevels={setLevels} />}
        {what[kind]({ found, fields, calls: rest.calls, searchId: rest.searchId })}
        {kind === 'record' ? null : (
          <Remaining {...{ found, levels: chosen }} known={known.value} />
        )}
        <OnlyTheseFields fields={fields} isOpen={kind === 'record'} />
        <div class="two">
          <Reference value={reference} onValue={setReference} />
          <Due value={dueOn} onValue={setDueOn} />
        </div>
        <Typed text={person} value={typed} onValue={setTyped} />
        <Problems of={doing.error} />
        <footer>
          {chosen?.length === 0 ? (
            <span class="muted small">First choose a level.</span>
          ) : typed === person ? null : (
            <span class="muted small">
              First type <code>{person}</code> above.
            </span>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={kind === 'record' ? 'main' : 'danger'}
            disabled={doing.isDoing || typed !== person || chosen?.length === 0}
          >
            {verbs[kind]}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

const what = {
  erase: WhatErasingDoes,
  record: WhatRecordingDoes,
  withdraw: WhatWithdrawingDoes,
} as const satisfies Record<Kind, unknown>

type Requested = {
  readonly levels: readonly number[] | undefined
  readonly reference: string
  readonly dueOn: string
}

/**
 * A refusal for one stream does not stop the other requests, because each accepted request has a salt that must be
 * kept.
 */
const useRequests = (
  { kind, found, calls, searchId, onDone }: Omit<Props, 'person' | 'fields' | 'onClose'>,
  { levels, reference, dueOn }: Requested,
) =>
  useDoing(async () => {
    const answers: StreamAnswer[] = []
    const isWanted = ({ withdrawn }: FoundIn): boolean =>
      levels?.every((level) => withdrawn.includes(level)) !== true
    for (const one of found.filter(isWanted))
      answers.push(
        await erase(calls, one.stream, {
          searchId,
          ...(levels === undefined ? {} : { levels }),
          ...(kind === 'record' ? { evenIfNoneFound: true } : {}),
          ...(reference.trim() === '' ? {} : { reference: reference.trim() }),
          ...(dueOn === '' ? {} : { dueOn }),
        }).then(
          (made) => ({ found: one, made }),
          (error: unknown) => ({ found: one, error }),
        ),
      )
    const [first] = answers
    if (first !== undefined && 'error' in first && !answers.some((one) => 'made' in one))
      throw first.error
    onDone(answers)
  })

type LevelsProps = {
  readonly found: readonly FoundIn[]
  readonly known: ReturnType<typeof useKnownLevels>
  readonly levels: readonly number[]
  readonly onLevels: (levels: readonly number[]) => void
}

/** A level means the same in all streams, so a level that one stream uses can be withdrawn in all of them. */
function useKnownLevels(calls: Calls, found: readonly FoundIn[]) {
  const { value: purposes = [] } = usePurposes()
  return useLoad(async () => {
    const [inputs, contracts] = await Promise.all([listInputs(calls), listContracts(calls)])
    const by = found.flatMap((one) => one.by)
    const held = contracts.filter(({ id }) => by.some(({ contract }) => contract === id))
    const outputs: readonly Output[] = inputs
      .filter(({ name }) => found.some(({ stream }) => stream === name))
      .flatMap((input) => input.outputs)
    const others = [...purposes, ...found.flatMap(({ consent }) => consent)]
    const more = others.map(({ level }) => level)
    return { levels: levelsIn(outputs, held.length === 0 ? contracts : held, more), outputs }
  }, [calls, found])
}

function Levels({ known, found, levels, onLevels }: LevelsProps) {
  const isWithdrawn = (level: number): boolean =>
    found.every(({ withdrawn }) => withdrawn.includes(level))
  return (
    <fieldset>
      <legend>
        Which levels? <span class="hint">Other levels stay as they are</span>
      </legend>
      <Problems of={known.error} />
      {known.value?.levels.map((each) => (
        <label key={each.level} class="check">
          <input
            type="checkbox"
            checked={levels.includes(each.level)}
            disabled={isWithdrawn(each.level)}
            onChange={(event) =>
              onLevels(
                event.currentTarget.checked
                  ? [...levels, each.level].toSorted((a, b) => a - b)
                  : levels.filter((level) => level !== each.level),
              )
            }
          />
          <LevelInWords
            {...each}
            isWithdrawn={isWithdrawn(each.level)}
            isOneStream={found.length === 1}
          />
        </label>
      ))}
    </fieldset>
  )
}

type LevelProps = KnownLevel & { readonly isWithdrawn: boolean; readonly isOneStream: boolean }

const LevelInWords = ({ level, outputs, fields, isWithdrawn, isOneStream }: LevelProps) => (
  <span>
    Level {useLevelWords()(level)}
    <span class="hint">
      {isWithdrawn ? ' already withdrawn;' : ''}
      {outputs.length === 0 ? '' : ` of ${named('output', outputs)}`}
      {outputs.length > 0 && fields.length > 0 ? ';' : ''}
      {fields.length === 0 ? '' : ` of ${named('field', fields)}`}
      {outputs.length + fields.length === 0
        ? ` no output or field in ${isOneStream ? 'this stream' : 'these streams'} has it now`
        : ''}
    </span>
  </span>
)

const named = (what: string, names: readonly string[]): string =>
  `the ${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`
