// People in one stream (docs/forgetting.md): the links of a data subject, and tokens for a person's events. The
// person's value comes in the body, because proxies log paths. No response contains it.
import { act } from '@weir/control-state'
import { termEndMs, termStartMs } from '@weir/fieldcrypt'
import { requireSubjectContracts } from '../../control/erasure/data-subjects.ts'
import { subjectAccessBody, subjectBody } from '../people-bodies.ts'
import { acting } from '../management.ts'
import { grantAccess } from '../../people/subject-access.ts'
import { foundBefore } from '../../people/people-found.ts'
import { searchOf } from './people.ts'
import type { RouteAnswer, AccountCall } from '@weir/http-api'
import type { AnswerNamed } from '../answers/answers.ts'
import type { Shown } from '../management.ts'
import { checkBody, readJson, lookUpByInput } from '@weir/http-api'
import { timeOf } from '../render.ts'

/** A value may be as long as an event, and JSON encoding makes it longer. */
const bodyBytesMax = 4_194_304

type AccessDeps = Pick<Shown, 'state' | 'erasures' | 'subjects' | 'accounts'>
type SubjectDeps = Pick<Shown, 'state' | 'erasures' | 'subjects'>

/** Creates a token for the output service, because only that service decrypts events. */
export const askForAccess =
  (deps: AccessDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'SubjectAccess'>>> => {
    const { caller } = call
    const { person, span } = checkBody(subjectAccessBody, await readJson(call, bodyBytesMax))
    const stream = await lookUpByInput(deps.state, call, (input) => input)
    const wanted =
      typeof person === 'string'
        ? foundBefore(await searchOf(deps, call, person), { input: stream, searchId: person })
        : person
    const isSubject = typeof person !== 'string' && person.as.includes('data_subject_field')
    if (isSubject) requireSubjectContracts(deps.state.tables, stream)
    const changes = { ...acting(deps.erasures, caller), subjects: deps.subjects }
    const granted = await grantAccess(changes, caller, { ...wanted, stream, span })
    const { accessToken, expiresAtMs } = granted
    return { status: 200, body: { accessToken, expiresAt: timeOf(expiresAtMs) } }
  }

export const lookUpSubject =
  (deps: SubjectDeps) =>
  async (call: AccountCall): Promise<RouteAnswer<AnswerNamed<'Subject'>>> => {
    const { caller } = call
    const { subject } = checkBody(subjectBody, await readJson(call, bodyBytesMax))
    const { stream, contracts } = await inputOf(deps, call)
    // The audit entry of a look-up is written before the response, so that every look-up is logged.
    const target = { account: stream.billingId, stream: stream.name }
    const { writer } = deps.erasures
    await writer.change({ ...act(caller, 'subject.lookup', target), always: true }, () => undefined)
    const found = await deps.subjects.find(stream, subject)
    const terms = found.map(({ term, links }) => {
      const [from, until] = [timeOf(termStartMs(term)), timeOf(termEndMs(term))]
      return { term, from, until, links: links.size }
    })
    const links = terms.reduce((sum, each) => sum + each.links, 0)
    const { naming, others } = contracts
    return { status: 200, body: { links, terms, contracts: naming, otherContracts: others } }
  }

const inputOf = (deps: Pick<Shown, 'state'>, call: AccountCall) =>
  lookUpByInput(deps.state, call, (stream, state) => ({
    stream,
    contracts: requireSubjectContracts(state, stream),
  }))
