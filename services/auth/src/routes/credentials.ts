// Credentials of a stream, input or derived: more of them, for a rotation, and the end of old ones.
import { addCredential, removeCredential } from '@weir/streams'
import type { StreamName } from '@weir/streams'
import { credentialsBody } from '../bodies.ts'
import type { Call, Handler } from '../http.ts'
import type { Management } from '../management.ts'
import { check, readOptionalJson } from '../read-json.ts'
import { credentialOf, secretOf } from '../render.ts'

export const makeCredentials =
  ({ stewardship, callers }: Management): Handler =>
  async (call) => {
    const { billingId } = await callers.account(call)
    const { scope } = check(credentialsBody, await readOptionalJson(call))
    const made = await addCredential(stewardship, targetOf(call, billingId), scope)
    return { status: 201, body: { ...secretOf(made), scope: made.credential.scope } }
  }

export const dropCredentials =
  ({ stewardship, callers }: Management): Handler =>
  async (call) => {
    const { billingId } = await callers.account(call)
    const target = targetOf(call, billingId)
    const removed = await removeCredential(stewardship, target, call.param('clientId'))
    return { status: 200, body: { deleted: [credentialOf(removed)] } }
  }

function targetOf(call: Call, billingId: string): StreamName {
  const output = call.param('output')
  const stream = call.param('stream')
  return output === '' ? { billingId, name: stream } : { billingId, name: output, input: stream }
}
