// `POST /v2/keys`: gives the readers of an output with `decryptAt: reader` the keys of single people, for a limited
// time (docs/keys.md Keys for readers). An erasure waits until all earlier responses are sent, and until readers must
// not use their keys any more.
import { isDecryptedByReaders, levelsInEra, levelsInTerm } from '@weir/control-state'
import type { AccessTrace, Access, DerivedStream, Gate, InputStream } from '@weir/control-state'
import { bodyRule, checkBody, count, invalid, listOf, readJson } from '@weir/http-api'
import type { Call, RouteAnswer, RouteHandler, Write } from '@weir/http-api'
import { takingTurns } from '@weir/kit'
import type { Proxies } from '@weir/kit'
import { z } from 'zod'
import { targetOf } from '../access/audit-target.ts'
import type { ConcurrencyLimiter } from '../access/concurrency-limiter.ts'
import { requireLevels, requireServed } from '../access/require-levels.ts'
import { deriveDepsOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { knownSoon } from '../derive/known-soon.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { refusal } from '../errors.ts'
import { answeredPerson, askedPerson, createPersonKeys } from './person-keys.ts'
import type { AnsweredPerson, AskedPerson } from './person-keys.ts'

export type ReaderKeysDeps = DerivationDeps & {
  readonly gate: Pick<Gate, 'check'>
  readonly limitedKeys: ConcurrencyLimiter
  readonly levels: LevelsAllowed
  readonly decrypterNames: readonly string[]
  readonly proxies: Pick<Proxies, 'has'>
  readonly trace: Pick<AccessTrace, 'keys'>
}

const personsMax = 1_000
/** A response with this number of keys has about two megabytes. */
const keysMax = 20_000
const personsRule = `must be a list of 1 to ${personsMax} people`

export const keysBody = z.strictObject(
  { persons: z.array(askedPerson, personsRule).min(1, personsRule).max(personsMax, personsRule) },
  bodyRule,
)
export const keysAnswer = z.strictObject({
  maxAgeSeconds: count.describe(
    'how long the keys may be used and kept, counted from sending the request',
  ),
  persons: listOf(answeredPerson).describe('in the order of the request'),
})

type Reader = {
  readonly access: Access
  readonly output: DerivedStream
  readonly input: InputStream
  readonly maxAgeSeconds: number
}

export const giveKeys =
  (deps: ReaderKeysDeps): RouteHandler =>
  async (call) => {
    requirePrivacy(deps, call)
    const reader = await readerOf(deps, call)
    return limited(deps.limitedKeys, laneOf(reader.access), async () => {
      const { persons } = checkBody(keysBody, await readJson(call))
      return answer(deps, call, { reader, persons })
    })
  }

/**
 * Returns one of the account's four lanes, so that a client that doesn't read its responses can't stop all other
 * clients.
 */
const laneOf = ({ stream: { billingId }, clientId }: Access): string =>
  `${billingId} ${Number.parseInt(clientId.slice(0, 1), 16) % 4}`

type Sending = { readonly answer: RouteAnswer; readonly sent: Promise<void> }

/**
 * Runs the work within the limit. A request counts until its response is sent, because the response stays in memory if
 * the client doesn't read.
 */
const limited = (
  limiter: ConcurrencyLimiter,
  lane: string,
  work: () => Promise<Sending>,
): Promise<RouteAnswer> =>
  new Promise((resolve, reject) => {
    limiter(lane, async () => {
      const { answer: made, sent } = await work()
      resolve(made)
      await sent
    }).catch(reject)
  })

/** Keys are as secret as the values, so keys aren't sent over a network in the clear. @throws Refusal `tls_required` */
function requirePrivacy({ proxies }: ReaderKeysDeps, { peer, header }: Call): void {
  const { address = '', isEncrypted } = peer
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(address)
  const isBehind = proxies.has(address) && header('x-forwarded-proto') === 'https'
  if (!isEncrypted && !isLocal && !isBehind)
    throw refusal('tls_required', 'Keys are sent only over TLS: use https, and see TRUSTED_PROXIES')
}

/** @throws Refusal; ControlStateError `control-state.invalid_token` */
async function readerOf(deps: ReaderKeysDeps, call: Call): Promise<Reader> {
  const { follower, gate } = deps
  if (!follower.isFresh()) throw notFresh()
  const access = await gate.check(call.header('authorization'))
  const { stream, clientId, scope } = access
  call.isFrom(stream.billingId, actorOf(access, call))
  if (stream.kind === 'input')
    throw refusal(
      'not_an_output',
      `The token is of the input stream ${stream.name}; keys are given for an output`,
    )
  if (!scope.includes('listen'))
    throw refusal('scope_missing', `The credentials ${clientId} lack the scope listen`)
  const { keyMaxAgeSeconds: maxAgeSeconds } = stream
  if (!isDecryptedByReaders(stream) || maxAgeSeconds === undefined)
    throw refusal(
      'decrypted_already',
      `The output ${stream.name} is not one with decryptAt reader: what its readers may see is decrypted in its topic`,
    )
  if (!stream.enabled)
    throw refusal('stream_disabled', `The stream ${stream.name} is disabled; enable it first`)
  requireServed(stream, deps.decrypterNames)
  requireLevels(stream, deps.levels)
  const input = follower.tables.inputOf(stream)
  if (input === undefined) throw notFresh()
  return { access, output: stream, input, maxAgeSeconds }
}

const notFresh = () =>
  refusal('unavailable', 'Control state is not available; try again in a moment')

const actorOf = ({ stream: { billingId }, clientId }: Access, { requestId }: Call) =>
  ({ kind: 'credentials', billingId, clientId, requestId }) as const

type Asked = { readonly reader: Reader; readonly persons: readonly AskedPerson[] }

async function answer(deps: ReaderKeysDeps, call: Call, asked: Asked): Promise<Sending> {
  const { access, output, maxAgeSeconds } = asked.reader
  const over = deps.openings.begin()
  try {
    const persons = await keysOfAll(deps, asked)
    const given = persons.reduce(countKeys, 0)
    const target = { ...targetOf(output), count: given }
    if (given > 0)
      await deps.trace.keys({ action: 'read.keys', actor: actorOf(access, call), target })
    if (!deps.follower.isFresh()) throw notFresh()
    return sendingOf({ maxAgeSeconds, persons }, over)
  } catch (error) {
    over()
    throw error
  }
}

function sendingOf(body: z.infer<typeof keysAnswer>, over: () => void): Sending {
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`)
  const stream = (write: Write): Promise<void> =>
    write(bytes).finally(() => {
      over()
      resolve()
    })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': `private, max-age=${body.maxAgeSeconds}`,
  }
  return { answer: { status: 200, headers, body: { stream } }, sent }
}

async function keysOfAll(
  deps: ReaderKeysDeps,
  { reader: { output, input }, persons }: Asked,
): Promise<AnsweredPerson[]> {
  const { keyStore } = deps.follower
  const keysOf = createPersonKeys(
    {
      ...deriveDepsOf(deps, input),
      opener: deps.opener,
      levelsIn: {
        era: once((era) => levelsInEra(keyStore, { ...input, era })),
        term: once((term) => levelsInTerm(keyStore, { ...input, term })),
      },
    },
    output,
    input,
  )
  const turn = takingTurns()
  const all: AnsweredPerson[] = []
  let given = 0
  for (const person of persons) {
    if (!deps.follower.isFresh()) throw notFresh()
    const answered = await knownSoon(deps.follower, () => keysOf(person))
    given = countKeys(given, answered)
    if (given > keysMax)
      throw invalid([`persons have more than ${keysMax} keys together; ask for fewer at a time`])
    all.push(answered)
    await turn()
  }
  return all
}

const countKeys = (count: number, { keys = {} }: AnsweredPerson): number =>
  count + Object.keys(keys).length

/** Returns a function that caches the results of `make`. */
function once<Result>(make: (number: number) => Result): (number: number) => Result {
  const made = new Map<number, Result>()
  return (number) => {
    const result = made.get(number) ?? make(number)
    made.set(number, result)
    return result
  }
}
