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
  readonly onClose: () => void
}

export function SecretsDialog({ name, credentials, onClose }: Props) {
  return (
    <Dialog title={`Created ${name}`} onClose={onClose}>
      {credentials.clientId === '' ? (
        <p>It has no credentials yet. An owner of the account creates them.</p>
      ) : (
        <Secrets credentials={credentials} />
      )}
    </Dialog>
  )
}

const Secrets = ({ credentials }: Pick<Props, 'credentials'>) => (
  <>
    <p>
      Its credentials, for <code>POST /auth</code>. The secret is shown only once.
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
