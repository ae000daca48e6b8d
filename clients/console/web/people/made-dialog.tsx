// Shows the response to erasures in one or several streams, once: the salts, their purpose, and what Weir can't know.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Where } from '../api/calls.ts'
import { verifyPage } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import type { Erasure } from '../api/erasure.ts'
import { isRecord, timeOf } from '../api/erasure.ts'
import { Holdings } from '../erasures/holdings.tsx'
import { VerifyLink } from '../erasures/verify-link.tsx'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Problems } from '../ui/problems.tsx'
import { fileNameOf } from '../ui/file-name.ts'
import { saveFile } from '../ui/save-file.ts'
import { completeBy, dateAndTime, dayOf, many } from '../ui/words.ts'
import type { StreamAnswer } from './person-dialog.tsx'

type Props = {
  readonly where: Where
  /** The value that was searched. */
  readonly person: string
  /** At least one request was accepted. */
  readonly answers: readonly StreamAnswer[]
  readonly onClose: () => void
}

export function MadeDialog({ where, person, answers, onClose }: Props) {
  const [isKept, setKept] = useState(false)
  const words = useLevelWords()
  const accepted = answers.filter((answer) => 'made' in answer)
  const first = accepted[0]?.made.erasure
  const record = [
    ['Person', person] as const,
    ...accepted.flatMap(({ found, made }) => recordOf(found.stream, made, words)),
  ]
  const text = `${record.map(lineOf).join('')}\n${useOf(where)}`
  const save = (): void => {
    if (first === undefined) return
    saveFile(new Blob([text], { type: 'text/plain' }), `${fileNameOf(first, 'salt')}.txt`)
    setKept(true)
  }
  const isOne = accepted.length === 1
  const saveButton = (
    <button type="button" onClick={save}>
      Save with the salt as a file
    </button>
  )
  return (
    <Dialog
      title={`${first && kindOf(first)} accepted`}
      guard={isKept ? undefined : 'The salt is not kept, and it is never shown again.'}
      first={saveButton}
      onClose={onClose}
    >
      <dl class="secrets">
        {record.map(([name, value]) => (
          <Fragment key={name + value}>
            <dt>{name}</dt>
            <dd>{name === 'Salt' ? <code>{value}</code> : value}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="row">
        {saveButton}
        <CopyButton
          text={isOne ? (accepted[0]?.made.salt ?? '') : text}
          label={isOne ? 'Copy the salt' : 'Copy all'}
          onCopied={() => setKept(true)}
        />
      </p>
      <p>
        <strong>Keep the salt: it is shown only once.</strong> The receipt does not name the person.
        To check whom it is about, one needs the salt and the value, at <VerifyLink where={where} />
        .
      </p>
      {answers.map((answer) => (
        <Answer key={answer.found.stream} {...answer} />
      ))}
    </Dialog>
  )
}

function Answer(answer: StreamAnswer) {
  const { stream } = answer.found
  if ('error' in answer)
    return (
      <>
        <p>Not in {stream}, because the request was refused:</p>
        <Problems of={answer.error} />
      </>
    )
  const { erasure } = answer.made
  return (
    <>
      {erasure.reference === '' ? (
        <p>
          <strong>This request has no reference.</strong> Keep its id, or add a reference on the
          page Erasures now: after you sign out, nothing else leads from the person to the request.
        </p>
      ) : null}
      <p>
        {many(erasure.found, 'event')} found in {stream}. The page Erasures has the receipt when
        this is complete: {completeBy(erasure.states.get('complete')?.expectedBy ?? '')}.
      </p>
      <Holdings erasure={erasure} />
      {erasure.levels === undefined ? null : (
        <p>
          Tell the team that sends the events: later events keep the levels that they are sent with.
        </p>
      )}
    </>
  )
}

function kindOf(erasure: Erasure): string {
  if (erasure.levels !== undefined) return 'Withdrawal'
  return isRecord(erasure) ? 'Record' : 'Erasure'
}

/** Returns what the officer must keep, because the receipt does not name the person. */
const recordOf = (stream: string, { erasure, salt }: Made, words: LevelWords) => [
  ['Stream', stream] as const,
  [kindOf(erasure), erasure.id] as const,
  ...(erasure.levels === undefined
    ? []
    : [['Levels', erasure.levels.map(words).join(', ')] as const]),
  ...(erasure.reference === '' ? [] : [['Reference', erasure.reference] as const]),
  ['Accepted', dateAndTime(timeOf(erasure, 'accepted'))] as const,
  ...(erasure.dueOn === '' ? [] : [['Due', dayOf(erasure.dueOn)] as const]),
  ['Salt', salt] as const,
]

/** Adds an empty line before each stream. */
const lineOf = ([name, value]: readonly [string, string]): string =>
  `${name === 'Stream' ? '\n' : ''}${name}: ${value}\n`

const useOf = (where: Where): string =>
  `Keep this file secret: with it, anyone who has a receipt knows whom it is about.
This file is not the receipt. The receipt is on the page Erasures of the console, once the request is complete.
To check whom the receipt is about, enter the receipt, the person and the salt at ${verifyPage(where)}
`
