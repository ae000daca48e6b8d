// Erasures of an input stream: people who are forgotten, consents that are withdrawn. A value is read from the
// body and handed on; no answer, no error and no line of the log holds it.
import { eraseValues, receiptFor, requireErasure, requireInput } from '@weir/streams'
import { erasureBody } from '../bodies.ts'
import type { Call, Handler } from '../http.ts'
import { acting, lookUp } from '../management.ts'
import type { Shown } from '../management.ts'
import { check, readJson } from '../read-json.ts'
import { erasureOf } from '../render.ts'
import { eraseBySubject } from './subjects.ts'

/** A value may be as long as an event, and JSON makes it longer. */
const bodyBytesMax = 4_194_304

export const makeErasure =
  (deps: Shown): Handler =>
  async (call) => {
    const caller = await deps.callers.account(call)
    const { billingId } = caller
    const body = check(erasureBody, await readJson(call, bodyBytesMax))
    const { values, subject, fromLevel } = body
    if (subject !== undefined) {
      const erased = await eraseBySubject(deps, { call, caller }, { subject, fromLevel })
      const { erasure, salt, links } = erased
      return { status: 201, body: { ...erasureOf(erasure), links, salt } }
    }
    const name = call.param('stream')
    const { erasure, salt } = await eraseValues(acting(deps, caller), {
      billingId,
      name,
      values,
      fromLevel,
    })
    return { status: 201, body: { ...erasureOf(erasure), salt } }
  }

export const listErasures =
  (deps: Shown): Handler =>
  async (call) => {
    const erasures = await lookUpInput(deps, call, (state, stream) =>
      state.erasuresOf(stream.streamId),
    )
    const newestFirst = erasures.sort((a, b) => b.acceptedAtMs - a.acceptedAtMs)
    return { status: 200, body: newestFirst.map(erasureOf) }
  }

export const showErasure =
  (deps: Shown): Handler =>
  async (call) => {
    const id = call.param('erasure')
    const erasure = await lookUpInput(deps, call, (state, stream) =>
      requireErasure(state, stream, id),
    )
    return { status: 200, body: erasureOf(erasure) }
  }

export const showReceipt =
  (deps: Shown): Handler =>
  async (call) => {
    const caller = await deps.callers.account(call)
    const { billingId } = caller
    const { issuer } = deps
    const names = { billingId, name: call.param('stream'), erasureId: call.param('erasure') }
    const receipt = await receiptFor(acting(deps, caller), { ...names, issuer })
    return { status: 200, body: { receipt } }
  }

async function lookUpInput<Found>(
  deps: Shown,
  call: Call,
  look: (
    state: Parameters<typeof requireInput>[0],
    stream: ReturnType<typeof requireInput>,
  ) => Found,
): Promise<Found> {
  const { billingId } = await deps.callers.account(call)
  const name = call.param('stream')
  return lookUp(deps, (state) => look(state, requireInput(state, billingId, name)))
}
