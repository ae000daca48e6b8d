// Data subjects that are not the key field (docs/forgetting.md): what is kept of one. The value comes in the body, since paths
// are logged on their way; it is handed on and told nowhere.
import { act } from '@weir/control-state'
import { requireSubjectContracts } from '../../control/erasure/data-subjects.ts'
import { subjectBody } from '../bodies.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { Shown } from '../management.ts'
import { checkBody, readJson, lookUpByInput } from '@weir/http-api'
import { shownEra } from '../render.ts'

/** A value may be as long as an event, and JSON makes it longer. */
const bodyBytesMax = 4_194_304

type SubjectDeps = Pick<Shown, 'state' | 'erasures' | 'subjects'>

export const lookUpSubject =
  (deps: SubjectDeps) =>
  async (call: AccountCall): Promise<RouteAnswer> => {
    const { caller } = call
    const { subject } = checkBody(subjectBody, await readJson(call, bodyBytesMax))
    const { stream, contracts } = await inputOf(deps, call)
    // Who asks after whom is worth an entry: before the answer, so that nobody looks unseen.
    const target = { account: stream.billingId, stream: stream.name }
    const { writer } = deps.erasures
    await writer.change({ ...act(caller, 'subject.lookup', target), always: true }, () => undefined)
    const found = await deps.subjects.find(stream, subject)
    const eras = found.map(({ era, links }) => ({ ...shownEra(era), links: links.size }))
    const links = eras.reduce((sum, each) => sum + each.links, 0)
    const { naming, others } = contracts
    return { status: 200, body: { links, eras, contracts: naming, otherContracts: others } }
  }

/** With everything that ingest has acknowledged by now: its keys are those that auth has, too. */
const inputOf = (deps: Pick<Shown, 'state'>, call: AccountCall) =>
  lookUpByInput(deps.state, call, (stream, state) => ({
    stream,
    contracts: requireSubjectContracts(state, stream),
  }))
