// The outputs of an input stream: created, listed, shown, changed and deleted.
import { createDerived, createUnreadDerived } from '../../control/streams/create-stream.ts'
import { hasRole } from '@weir/control-state'
import { levelWarnings } from '../../control/streams/level-warnings.ts'
import { deleteOutput } from '../../control/streams/delete-stream.ts'
import { patchStream } from '../../control/streams/change-stream.ts'
import { askRebuild } from '../../control/streams/rebuild-output.ts'
import { outputBody, outputPatch, rebuildBody } from '../bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import { acting } from '../management.ts'
import type { Shown } from '../management.ts'
import { requireOwnerFor } from './streams.ts'
import {
  checkBody,
  listPage,
  lookUpByInput,
  lookUpOutput,
  readJson,
  readOptionalJson,
} from '@weir/http-api'

export const createOutputRoute =
  (deps: Pick<Shown, 'streams' | 'state' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const json = await readJson(call)
    const request = checkBody(outputBody, json)
    requireOwnerFor(caller, json)
    const linkedStream = call.param('stream')
    // Only an owner may create credentials that read an output.
    const create = hasRole(caller.apiKey.role, 'owner') ? createDerived : createUnreadDerived
    const created = await create(acting(deps.streams, caller), {
      billingId,
      linkedStream,
      ...request,
    })
    const warnings = levelWarnings(deps.state.tables, created.stream)
    return { status: 201, body: deps.shape.newOutput(created, warnings) }
  }

export const listOutputs =
  (deps: Pick<Shown, 'state' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const outputs = await lookUpByInput(deps.state, call, (input, state) => state.outputsOf(input))
    const ready = outputs.filter(({ state }) => state === 'ready')
    const { entries, headers } = listPage(call, ready, { keyOf: ({ name }) => name })
    return { status: 200, headers, body: entries.map(deps.shape.shown) }
  }

export const showOutput =
  (deps: Pick<Shown, 'state' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { stream } = await lookUpOutput(deps.state, call)
    return { status: 200, body: deps.shape.shown(stream) }
  }

export const changeOutput =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const patch = checkBody(outputPatch, await readJson(call))
    requireOwnerFor(caller, patch)
    const target = { billingId, input: call.param('stream'), name: call.param('output') }
    const stream = await patchStream(acting(deps.streams, caller), target, patch)
    return { status: 200, body: deps.shape.shown(stream) }
  }

export const rebuildOutput =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const options = checkBody(rebuildBody, await readOptionalJson(call))
    const target = {
      billingId: caller.billingId,
      input: call.param('stream'),
      name: call.param('output'),
    }
    const output = await askRebuild(acting(deps.streams, caller), target, options)
    return { status: 202, body: deps.shape.shown(output) }
  }

export const deleteOutputRoute =
  (deps: Pick<Shown, 'streams' | 'shape'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const target = { billingId, input: call.param('stream'), name: call.param('output') }
    const deleted = await deleteOutput(acting(deps.streams, caller), target)
    return { status: 200, body: deps.shape.deletedOutputs(deleted) }
  }
