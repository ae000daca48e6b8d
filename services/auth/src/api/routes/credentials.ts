// Credentials of an input stream or an output. To rotate credentials, a client adds new ones, and then removes the old
// ones.
import { addCredential, deleteCredential } from '../../control/streams/change-stream.ts'
import type { StreamName } from '../../control/streams/change-stream.ts'
import { credentialsBody } from '../bodies.ts'
import type { RouteAnswer, Call, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Management } from '../management.ts'
import { checkBody, readOptionalJson } from '@weir/http-api'
import { credentialOf, secretOf } from '../render.ts'

export const createCredentialsRoute =
  (deps: Pick<Management, 'streams'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'NewCredentials'>>> => {
    const { caller } = call
    const { scope } = checkBody(credentialsBody, await readOptionalJson(call))
    const made = await addCredential(acting(deps.streams, caller), targetOf(call, caller), scope)
    return { status: 201, body: { ...secretOf(made), scope: made.credential.scope } }
  }

export const deleteCredentialsRoute =
  (deps: Pick<Management, 'streams'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'DeletedCredentials'>>> => {
    const { caller } = call
    const target = targetOf(call, caller)
    const removed = await deleteCredential(
      acting(deps.streams, caller),
      target,
      call.param('clientId'),
    )
    return { status: 200, body: { deleted: [credentialOf(removed)] } }
  }

function targetOf(call: Call, { billingId }: { readonly billingId: string }): StreamName {
  const output = call.param('output')
  const stream = call.param('stream')
  return output === '' ? { billingId, name: stream } : { billingId, name: output, input: stream }
}
