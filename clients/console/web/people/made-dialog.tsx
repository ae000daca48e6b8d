// The response to an erasure, shown once: the salt, its purpose, and what Weir can't know.
import { useState } from 'preact/hooks'
import type { Where } from '../api/calls.ts'
import { verifyPage } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import { Holdings } from '../erasures/holdings.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { dateAndTime, many } from '../ui/words.ts'

type Props = {
  readonly where: Where
  /** The value that was searched. */
  readonly person: string
  readonly made: Made
  readonly onClose: () => void
}

export function MadeDialog({ where, person, made: { erasure, salt }, onClose }: Props) {
  const [isCopied, setCopied] = useState(false)
  const what = erasure.levels === undefined ? 'Erasure' : 'Withdrawal'
  return (
    <Dialog
      title={`${what} accepted`}
      guard={isCopied ? undefined : 'The salt is not copied, and it is never shown again.'}
      onClose={onClose}
    >
      <dl class="secrets">
        <dt>Person</dt>
        <dd>{person}</dd>
        <dt>{what}</dt>
        <dd>
          <code>{erasure.id}</code>
        </dd>
        <dt>Salt</dt>
        <dd>
          <code>{salt}</code>{' '}
          <CopyButton text={salt} label="Copy the salt" onCopied={() => setCopied(true)} />
        </dd>
      </dl>
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
