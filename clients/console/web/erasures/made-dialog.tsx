// What an erasure answered, shown once: the salt, what it is for, and what Weir can't know.
import type { Made } from '../api/erasures.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { many } from '../ui/words.ts'
import { Holdings } from './holdings.tsx'

type Props = { readonly made: Made; readonly onClose: () => void }

export function MadeDialog({ made: { erasure, salt }, onClose }: Props) {
  const title = erasure.levels === undefined ? 'Erasure accepted' : 'Withdrawal accepted'
  return (
    <Dialog title={title} onClose={onClose}>
      <dl class="secrets">
        <dt>Erasure</dt>
        <dd>
          <code>{erasure.id}</code>
        </dd>
        <dt>Salt</dt>
        <dd>
          <code>{salt}</code> <CopyButton text={salt} label="Copy the salt" />
        </dd>
      </dl>
      <p>
        <strong>Keep the salt: it is shown only once.</strong> The receipt does not name the person.
        Only with the salt can someone who knows the value prove that the receipt is about it.
      </p>
      <p>{many(erasure.found, 'event')} of this person found in the stream.</p>
      <Holdings outputs={erasure.outputs} />
    </Dialog>
  )
}
