// New credentials. Their secret is shown only once.
import { listOf, objectOf, textOf } from '../api/json.ts'
import { Dialog } from '../ui/dialog.tsx'

export type Credentials = { readonly clientId: string; readonly clientSecret: string }

export function credentialsIn(answer: unknown): Credentials {
  const [first] = listOf(objectOf(answer)['credentials'])
  const { clientId, clientSecret } = objectOf(first)
  return { clientId: textOf(clientId), clientSecret: textOf(clientSecret) }
}

type Props = {
  readonly name: string
  readonly credentials: Credentials
  /** What the credentials are for. */
  readonly use: 'kafka' | 'send'
  readonly onClose: () => void
}

export function SecretsDialog({ name, credentials, use, onClose }: Props) {
  return (
    <Dialog title={`Created ${name}`} onClose={onClose}>
      {credentials.clientId === '' ? (
        <p>It has no credentials yet. An owner of the account creates them.</p>
      ) : (
        <Secrets {...{ name, credentials, use }} />
      )}
    </Dialog>
  )
}

const Secrets = ({ name, credentials, use }: Omit<Props, 'onClose'>) => (
  <>
    <p>
      Its credentials, for tokens (<code>POST /auth</code>). The secret is shown only once. With
      them in WEIR_CLIENT_ID and WEIR_CLIENT_SECRET, and the account in WEIR_BILLING_ID,{' '}
      <code>
        weir {use} {name}
      </code>{' '}
      {use === 'kafka' ? 'prints settings for your own Kafka client' : 'sends events'}. To replace
      or revoke them: <code>weir credentials rotate {name}</code>,{' '}
      <code>weir credentials revoke {name}</code>.
    </p>
    <dl class="secrets">
      <dt>clientId</dt>
      <dd>
        <code>{credentials.clientId}</code>
      </dd>
      <dt>clientSecret</dt>
      <dd>
        <code>{credentials.clientSecret}</code>
      </dd>
    </dl>
  </>
)
