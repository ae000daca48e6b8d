// Erasures and withdrawals in an input stream. Values come in the body. No response, error or log line contains values.
import { changeErasure } from '../../control/erasure/change-erasure.ts'
import { erasePeople } from '../../control/erasure/erase.ts'
import type { LinksByTerm } from '../../control/erasure/erase.ts'
import { requireSubjectContracts } from '../../control/erasure/data-subjects.ts'
import type { FoundTerm } from '../../control/erasure/subject-log.ts'
import { receiptFor } from '../../control/erasure/receipts.ts'
import { requireErasure } from '@weir/control-state'
import type { ErasureRecord, InputStream } from '@weir/control-state'
import { erasureBody, erasurePatch } from '../people-bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import { acting } from '../management.ts'
import type { Shown } from '../management.ts'
import { checkBody, listPage, lookUpByInput, readJson } from '@weir/http-api'
import { findPeople, foundBefore, requireFound } from '../../people/people-found.ts'
import type { Finding, PeopleFound } from '../../people/people-found.ts'
import type { Wanted } from '../../people/person-links.ts'
import { searchOf } from './people.ts'

/** A value may be as long as an event, and JSON encoding makes it longer. */
const bodyBytesMax = 4_194_304

export const createErasureRoute =
  (deps: Erasing) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'NewErasure'>>> => {
    const body = checkBody(erasureBody, await readJson(call, bodyBytesMax))
    const { people: asked, ...more } = body
    const { evenIfNoneFound, levels } = more
    const { stream, contracts } = await lookUpByInput(deps.state, call, (found, state) => ({
      stream: found,
      contracts: state.contractsOf(found.billingId),
    }))
    const finding = { searches: deps.searches, now: deps.erasures.now }
    const people =
      typeof asked === 'string'
        ? foundBefore(await searchOf(deps, call, asked), { input: stream, searchId: asked })
        : await findNow(deps, { finding, stream, wanted: asked })
    if (!evenIfNoneFound) await requireFound(finding, { input: stream, contracts }, people)
    const { values, as, found } = people
    // A level may be withdrawn before a field of that level was sent, so links without decryptable fields count, too.
    const evenErased = levels !== undefined
    const kept = as.includes('data_subject_field')
      ? await keptOf(deps, { stream, values, evenErased })
      : []
    const changes = acting(deps.erasures, call.caller)
    const request = { stream, as, values, found, links: linksIn(kept), ...more }
    const { erasure, salt } = await erasePeople(changes, request)
    // After a withdrawal the links are still needed. If deleting the links of an erasure fails, they lead only to
    // erased data.
    if (levels === undefined) await forgetLinks(deps, kept)
    const count = kept.reduce((sum, inTerm) => sum + inTerm.links.size, 0)
    const links = kept.length > 0 ? count : undefined
    const warnings = warningsAbout(people, levels)
    return {
      status: 201,
      body: {
        ...(await shown(deps, erasure)),
        links,
        salt,
        ...(warnings.length === 0 ? {} : { warnings }),
      },
    }
  }

function warningsAbout(
  { isErased, consent, withdrawn }: PeopleFound,
  levels: readonly number[] = [],
): readonly string[] {
  const erased = 'All events that were found had been erased before: this changes nothing in them'
  const without = levels.filter((level) => consent !== undefined && !consent.includes(level))
  const sent = `None of the events that were found was sent with consent to level ${without.join(', ')}. Is it the right level?`
  const isRepeated = levels.length > 0 && levels.every((level) => withdrawn.includes(level))
  const before = `Level ${levels.join(', ')} had been withdrawn before: this changes nothing in the events that were found`
  return [
    ...(isErased ? [erased] : isRepeated ? [before] : []),
    ...(without.length > 0 ? [sent] : []),
  ]
}

type Erasing = Pick<
  Shown,
  'state' | 'accounts' | 'erasures' | 'erasureView' | 'subjects' | 'searches'
>

async function findNow(
  { state }: Erasing,
  { finding, stream, wanted }: { finding: Finding; stream: InputStream; wanted: Wanted },
): Promise<PeopleFound> {
  if (wanted.as.includes('data_subject_field')) requireSubjectContracts(state.tables, stream)
  return findPeople(finding, stream, wanted)
}

type Kept = {
  readonly stream: InputStream
  readonly values: readonly string[]
  readonly evenErased: boolean
}

const keptOf = async (
  { subjects }: Erasing,
  { stream, values, evenErased }: Kept,
): Promise<FoundTerm[]> => {
  const kept: FoundTerm[] = []
  for (const value of values) kept.push(...(await subjects.find(stream, value, { evenErased })))
  return kept
}

function linksIn(kept: readonly FoundTerm[]): LinksByTerm {
  const links = new Map<number, Uint8Array[]>()
  for (const { term, links: inTerm } of kept)
    links.set(term, [...(links.get(term) ?? []), ...inTerm.values()])
  return links
}

async function forgetLinks({ subjects, erasures }: Erasing, kept: readonly FoundTerm[]) {
  await subjects.forget(kept).catch((error: unknown) => {
    const sentence = 'index entries of an erased data subject remain until they expire'
    erasures.log.warn({ err: error }, sentence)
  })
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

export const changeErasureRoute =
  (deps: Pick<Shown, 'state' | 'erasures' | 'erasureView'>) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { billingId } = call.caller
    const wanted = checkBody(erasurePatch, await readJson(call))
    const names = { billingId, name: call.param('stream'), erasureId: call.param('erasure') }
    const changed = await changeErasure(acting(deps.erasures, call.caller), { ...names, ...wanted })
    return { status: 200, body: await shown(deps, changed) }
  }

export const showReceipt =
  (deps: Pick<Shown, 'state' | 'erasures' | 'erasureView' | 'issuer'>) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'Receipt'>>> => {
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
