// Who may watch what (spec Authentication 2, 3; docs/wire-format.md WebSocket): from the upgrade request
// to the access its token gives, or the refusal it gets.
import type { IncomingMessage } from 'node:http'
import { hasCode } from '@weir/kit'
import type { Access, Gate, StateFollower } from '@weir/streams'
import type { UpgradeRefusal } from './refuse-upgrade.ts'

const path = '/ws'
const bearerProtocol = /^bearer\.(.+)$/

export async function admit(
  deps: { gate: Gate; follower: Pick<StateFollower, 'isFresh'> },
  request: IncomingMessage,
): Promise<Access | UpgradeRefusal> {
  if (request.url?.split('?', 1)[0] !== path)
    return { status: 404, code: 'not_found', message: 'There is nothing here; events are at /ws' }
  if (!deps.follower.isFresh()) return unavailable
  try {
    const access = await deps.gate.check(authorizationOf(request))
    if (!access.scope.includes('listen'))
      return {
        status: 403,
        code: 'scope_missing',
        message: 'These credentials are for sending; listening needs the scope listen',
      }
    if (!access.stream.enabled)
      return {
        status: 403,
        code: 'stream_disabled',
        message: `The stream ${access.stream.name} is disabled`,
      }
    return access
  } catch (error) {
    if (hasCode(error, 'invalid_token'))
      return { status: 401, code: error.code, message: error.message }
    return unavailable
  }
}

export const isRefused = (admitted: Access | UpgradeRefusal): admitted is UpgradeRefusal =>
  'status' in admitted

export const unavailable: UpgradeRefusal = {
  status: 503,
  code: 'unavailable',
  message: 'Not ready; try again',
}

/** The Authorization header, or what browsers can send: the subprotocols `weir`, `bearer.<token>`. */
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
