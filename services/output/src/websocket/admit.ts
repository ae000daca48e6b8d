// Decides which stream an upgrade request may watch, or why it is refused (spec Authentication 2, 3;
// docs/wire-format.md WebSocket). At /ws a stream's token names the stream. Under /v2, for the console, the path names
// a stream of the API key's account.
import type { IncomingMessage } from 'node:http'
import { ownSentence, publicFormOf, requestIdOf } from '@weir/kit'
import type { PublicForm } from '@weir/kit'
import { requireInput, requireOutput, requireRole } from '@weir/control-state'
import type {
  AccessErrorCode,
  Accounts,
  Gate,
  Reading,
  Role,
  StateFollower,
  StreamRecord,
} from '@weir/control-state'
import type { UpgradeRefusal } from './refuse-upgrade.ts'
import { routeNeeds } from '../access/route-needs.ts'
import { targetOf } from '../access/audit-target.ts'

const bearerProtocol = /^bearer\.(.+)$/
const name = '(?=[^/]{1,63}/)([a-z0-9](?:-?[a-z0-9])*)'
const watchPath = new RegExp(`^/v2/streams/${name}(?:/outputs/${name})?/watch$`)
const watchNeeds: Readonly<Record<'input' | 'output', Role>> = {
  input: routeNeeds['GET /v2/streams/:stream/watch'],
  output: routeNeeds['GET /v2/streams/:stream/outputs/:output/watch'],
}

export type AdmitDeps = {
  gate: Gate
  accounts: Accounts
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'refresh'>
}

export type Admitted = {
  /** The connection counts against the limit of this credential. */
  readonly credential: string
  readonly stream: StreamRecord
  readonly actor: Reading['actor']
  /** Returns whether the credential still permits the connection. The stream itself is not checked. */
  mayStay(): boolean
}

/** Actor and target for the audit log, reported as soon as they are known, so that refusals can be logged, too. */
export type Watching = Pick<Reading, 'actor' | 'target'>

export async function admit(
  deps: AdmitDeps,
  request: IncomingMessage,
  isFrom: (watching: Watching) => void,
): Promise<Admitted | UpgradeRefusal> {
  const path = request.url?.split('?', 1)[0] ?? ''
  const [, input, output] = watchPath.exec(path) ?? []
  if (path !== '/ws' && input === undefined) return notFound
  if (!deps.follower.isFresh()) return admissionUnavailable
  try {
    const asking = {
      authorization: authorizationOf(request),
      requestId: requestIdOf(String(request.headers['traceparent'])),
      isFrom,
    }
    const admitted =
      input === undefined
        ? await byToken(deps, asking)
        : await byApiKey(deps, asking, { input, output })
    return isRefused(admitted) || admitted.stream.enabled ? admitted : disabled(admitted.stream)
  } catch (error) {
    return upgradeRefusalOf(error)
  }
}

/** The only package errors that clients see. For all other errors the response says to try again. */
const publicForms = {
  'control-state.invalid_token': { code: 'invalid_token', sentence: ownSentence },
  'control-state.invalid_api_key': { code: 'invalid_api_key', sentence: ownSentence },
  'control-state.role_missing': { code: 'role_missing', sentence: ownSentence },
  'control-state.not_found': { code: 'not_found', sentence: ownSentence },
} satisfies Partial<Record<AccessErrorCode, PublicForm<UpgradeRefusal['code']>>>

function upgradeRefusalOf(error: unknown): UpgradeRefusal {
  return publicFormOf<UpgradeRefusal['code']>(publicForms, error) ?? admissionUnavailable
}

type Asking = {
  readonly authorization: string | undefined
  readonly requestId: string
  readonly isFrom: (watching: Watching) => void
}

async function byToken(
  { gate }: AdmitDeps,
  { authorization, requestId, isFrom }: Asking,
): Promise<Admitted | UpgradeRefusal> {
  const access = await gate.check(authorization)
  const { stream, clientId } = access
  const { billingId } = stream
  const actor = { kind: 'credentials', billingId, clientId, requestId } as const
  isFrom({ actor, target: targetOf(stream) })
  if (!access.scope.includes('listen')) return sendOnly
  const mayStay = (): boolean => gate.recheck(access) !== undefined
  return { stream, credential: clientId, actor, mayStay }
}

async function byApiKey(
  { accounts, follower }: AdmitDeps,
  { authorization, requestId, isFrom }: Asking,
  { input, output }: { input: string; output: string | undefined },
): Promise<Admitted> {
  const { tables } = follower
  const holder = await accounts.byApiKey(authorization)
  const { billingId } = holder.account
  const credential = holder.apiKey.hash
  const { keyId, name } = holder.apiKey
  const actor = { kind: 'account', billingId, keyId, name, requestId } as const
  const names = output === undefined ? { stream: input } : { stream: input, output }
  isFrom({ actor, target: { account: billingId, ...names } })
  requireRole(holder.apiKey, output === undefined ? watchNeeds.input : watchNeeds.output)
  const mayStay = (): boolean => accounts.isGood(holder)
  const look = (): StreamRecord =>
    output === undefined
      ? requireInput(tables, billingId, input)
      : requireOutput(tables, billingId, { input, name: output })
  try {
    return { stream: look(), credential, actor, mayStay }
  } catch {
    await follower.refresh() // a stream may be used as soon as its 201 is sent
    return { stream: look(), credential, actor, mayStay }
  }
}

export const isRefused = (admitted: Admitted | UpgradeRefusal): admitted is UpgradeRefusal =>
  'code' in admitted

const notFound: UpgradeRefusal = {
  code: 'not_found',
  message: 'There is nothing under this path; events are at /ws, for WebSockets',
}

const sendOnly: UpgradeRefusal = {
  code: 'scope_missing',
  message: 'These credentials are for sending; listening needs the scope listen',
}

const disabled = ({ name }: StreamRecord): UpgradeRefusal => ({
  code: 'stream_disabled',
  message: `The stream ${name} is disabled`,
})

export const admissionUnavailable: UpgradeRefusal = {
  code: 'unavailable',
  message: 'Not ready; try again',
}

/** Returns the Authorization header. Browsers send the token in the subprotocols `weir`, `bearer.<token>` instead. */
function authorizationOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return authorization
  const offered = (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
  if (!offered.includes('weir')) return undefined
  const token = offered
    .map((name) => bearerProtocol.exec(name)?.[1])
    .find((found) => found !== undefined)
  return token === undefined ? undefined : `Bearer ${token}`
}
