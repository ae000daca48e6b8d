// Input streams: created, listed, shown, changed and deleted (spec Resources, States and transitions).
import { createInput } from '../../control/streams/create-stream.ts'
import { deleteStream } from '../../control/streams/delete-stream.ts'
import { patchStream } from '../../control/streams/change-stream.ts'
import { streamBody, streamPatch } from '../bodies.ts'
import { requireRole } from '@weir/control-state'
import type { RouteAnswer, Call, Caller, AccountCall } from '@weir/http-api'
import { acting } from '../management.ts'
import type { Shown } from '../management.ts'
import { checkBody, invalid, listPage, lookUpInput, readJson } from '@weir/http-api'

export const createStreamRoute = (deps: Pick<Shown, 'streams' | 'defaultLimits' | 'shape'>) => {
  const schema = streamBody(deps.defaultLimits)
  return async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const json = await readJson(call)
    const request = checkBody(schema, json)
    requireOwnerFor(caller, json)
    const created = await createInput(acting(deps.streams, caller), { billingId, ...request })
    return { status: 201, body: deps.shape.newInput(created) }
  }
}

const ofOwners = ['limits', 'retentionHours', 'keyRetentionDays']

/**
 * Requires an owner for some members: limits affect the price, and a shorter retention deletes events or their keys.
 * @throws ControlStateError `control-state.role_missing`
 */
export function requireOwnerFor({ apiKey }: Caller, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const members = ofOwners.filter((member) => Object.hasOwn(body, member))
  if (members.length > 0) requireRole(apiKey, 'owner', `Setting ${members.join(' and ')}`)
}

export const listStreams =
  ({ state, shape }: Pick<Shown, 'state' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { billingId } = call.caller
    const streams = state.tables
      .streamsOf(billingId)
      .filter((stream) => stream.kind === 'input' && stream.state === 'ready')
    const { entries, headers } = listPage(call, streams, { keyOf: ({ name }) => name })
    return { status: 200, headers, body: entries.map(shape.shown) }
  }

export const showStream =
  (deps: Pick<Shown, 'state' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const stream = await lookUpInput(deps.state, call)
    return { status: 200, body: deps.shape.shown(stream) }
  }

export const changeStream =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const patch = checkBody(streamPatch, await readJson(call))
    requireOwnerFor(caller, patch)
    const stream = await patchStream(
      acting(deps.streams, caller),
      { billingId, name: call.param('stream') },
      patch,
    )
    return { status: 200, body: deps.shape.shown(stream) }
  }

export const deleteStreamRoute =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const recursive = isRecursive(call)
    const deleted = await deleteStream(acting(deps.streams, caller), {
      billingId,
      name: call.param('stream'),
      recursive,
    })
    return { status: 200, body: deps.shape.deleted(deleted) }
  }

function isRecursive(call: Call): boolean {
  const recursive = call.query('recursive') ?? 'false'
  if (recursive !== 'true' && recursive !== 'false')
    throw invalid(['recursive must be true or false'])
  return recursive === 'true'
}
