// Erasures of an input stream: people who are forgotten, consents that are withdrawn. A value is read from the
// body and handed on; no answer, no error and no line of the log holds it.
import { eraseValues } from '../../control/erasure/erase.ts'
import { receiptFor } from '../../control/erasure/receipts.ts'
import { requireErasure } from '@weir/control-state'
import type { ErasureRecord } from '@weir/control-state'
import { erasureBody } from '../bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import { acting } from '../management.ts'
import type { Shown } from '../management.ts'
import { checkBody, listPage, lookUpByInput, readJson } from '@weir/http-api'
import { eraseBySubject } from './subjects.ts'
import type { SubjectDeps } from './subjects.ts'

/** A value may be as long as an event, and JSON makes it longer. */
const bodyBytesMax = 4_194_304

export const makeErasure =
  (deps: SubjectDeps & Pick<Shown, 'erasureView'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const body = checkBody(erasureBody, await readJson(call, bodyBytesMax))
    const { values, subject, asked } = body
    if (subject !== undefined) {
      const erased = await eraseBySubject(deps, call, { subject, asked })
      const { erasure, salt, links } = erased
      return { status: 201, body: { ...(await shown(deps, erasure)), links, salt } }
    }
    const stream = await lookUpByInput(deps.state, call, (found) => found)
    const request = { stream, values, ...asked }
    const { erasure, salt } = await eraseValues(acting(deps.erasures, caller), request)
    return { status: 201, body: { ...(await shown(deps, erasure)), salt } }
  }

const newestFirst = ({ acceptedAtMs, erasureId }: ErasureRecord): string =>
  String(Number.MAX_SAFE_INTEGER - acceptedAtMs) + erasureId

export const listErasures =
  (deps: Pick<Shown, 'state' | 'erasureView'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const erasures = await lookUpByInput(deps.state, call, (stream, state) =>
      state.erasuresOf(stream.streamId),
    )
    const { entries, headers } = listPage(call, erasures, { keyOf: newestFirst })
    const body = await Promise.all(entries.map((erasure) => shown(deps, erasure)))
    return { status: 200, headers, body }
  }

export const showErasure =
  (deps: Pick<Shown, 'state' | 'erasureView'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const id = call.param('erasure')
    const erasure = await lookUpByInput(deps.state, call, (stream, state) =>
      requireErasure(state, stream, id),
    )
    return { status: 200, body: await shown(deps, erasure) }
  }

export const showReceipt =
  (deps: Pick<Shown, 'state' | 'erasures' | 'erasureView' | 'issuer'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { billingId } = caller
    const { issuer, erasureView } = deps
    const names = { billingId, name: call.param('stream'), erasureId: call.param('erasure') }
    const { tables } = deps.state
    const outputs = (erasure: ErasureRecord) => erasureView.outputs(tables, erasure)
    const receipt = await receiptFor(acting(deps.erasures, caller), { ...names, issuer, outputs })
    return { status: 200, body: { receipt } }
  }

function shown(
  { erasureView, state }: Pick<Shown, 'erasureView' | 'state'>,
  erasure: ErasureRecord,
) {
  return erasureView.show(state.tables, erasure)
}
