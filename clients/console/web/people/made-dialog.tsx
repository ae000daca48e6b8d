// The response to an erasure, shown once: the salt, its purpose, and what Weir can't know.
import { useState } from 'preact/hooks'
import type { Made } from '../api/erasures.ts'
import { Holdings } from '../erasures/holdings.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { many } from '../ui/words.ts'

type Props = { readonly made: Made; readonly onClose: () => void }

export function MadeDialog({ made: { erasure, salt }, onClose }: Props) {
  const [isCopied, setCopied] = useState(false)
  const title = erasure.levels === undefined ? 'Erasure accepted' : 'Withdrawal accepted'
  return (
    <Dialog
      title={title}
      guard={isCopied ? undefined : 'The salt is not copied, and it is never shown again.'}
      onClose={onClose}
    >
      <dl class="secrets">
        <dt>Erasure</dt>
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
        Only with the salt can someone who knows the value prove that the receipt is about it.
      </p>
      <p>{many(erasure.found, 'event')} of this person found in the stream.</p>
      <Holdings {...erasure} />
    </Dialog>
  )
}
