// The response to an erasure, shown once: the salt, its purpose, and what Weir can't know.
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Where } from '../api/calls.ts'
import { verifyPage } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import { Holdings } from '../erasures/holdings.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { saveFile } from '../ui/save-file.ts'
import { dateAndTime, many } from '../ui/words.ts'

type Props = {
  readonly where: Where
  /** The value that was searched. */
  readonly person: string
  readonly made: Made
  readonly onClose: () => void
}

export function MadeDialog({ where, person, made: { erasure, salt }, onClose }: Props) {
  const [isKept, setKept] = useState(false)
  const what = erasure.levels === undefined ? 'Erasure' : 'Withdrawal'
  const record = recordOf({ what, person, erasure, salt })
  const save = (): void => {
    const text = record.map(([name, value]) => `${name}: ${value}\n`).join('')
    saveFile(new Blob([text], { type: 'text/plain' }), `${what.toLowerCase()}-${erasure.id}.txt`)
    setKept(true)
  }
  return (
    <Dialog
      title={`${what} accepted`}
      guard={isKept ? undefined : 'The salt is not kept, and it is never shown again.'}
      onClose={onClose}
    >
      <dl class="secrets">
        {record.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{name === 'Salt' ? <code>{value}</code> : value}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="row">
        <button type="button" onClick={save}>
          Save with the salt as a file
        </button>
        <CopyButton text={salt} label="Copy the salt" onCopied={() => setKept(true)} />
      </p>
      <p>
        <strong>Keep the salt: it is shown only once.</strong> The receipt does not name the person.
        To check whom it is about, one needs the salt and the value, at{' '}
        <a href={verifyPage(where)}>{verifyPage(where)}</a>.
      </p>
      <p>
        {many(erasure.found, 'event')} of this person found in the stream. The page Erasures has the
        receipt when this is complete, at the latest{' '}
        {dateAndTime(erasure.states.get('complete')?.expectedBy ?? '') ||
          'at a time that is unknown'}
        .
      </p>
      <Holdings {...erasure} />
    </Dialog>
  )
}

type Recorded = Pick<Props, 'person'> & Made & { readonly what: string }

/** What the officer keeps: the receipt does not name the person. */
const recordOf = ({ what, person, erasure, salt }: Recorded) => [
  ['Person', person] as const,
  [what, erasure.id] as const,
  ...(erasure.levels === undefined ? [] : [['Levels', erasure.levels.join(', ')] as const]),
  ...(erasure.reference === '' ? [] : [['Reference', erasure.reference] as const]),
  ...(erasure.dueOn === '' ? [] : [['Due', erasure.dueOn] as const]),
  ['Salt', salt] as const,
]
