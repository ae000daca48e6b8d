// `npm run attacks`: measures how attacks affect others. First, attacks on HTTP/2 connections
// (packages/http2/conformance). Second, a stranger sends the worst requests of the complexity tests, twenty per second,
// while another account sends normal requests. Services, stranger and other account are separate processes. The other
// account is measured without an attack, with the attack on another replica (which costs the machine as much), and with
// the attack on its own replica. Each result is the best of several rounds. A case fails if a request of the other
// account fails, or if its p99 exceeds the p99 with the attack on another replica by more than NOTICED_MS. Third, the
// attacks of hostile-tenants.ts. `npm run attacks -- gzip` runs only attacks with «gzip» in their names.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdMachine, makeKekFiles, makePlatformKey, startStack } from '@weir/devstack'
import type { Service } from '@weir/devstack'
import { signUp, exampleEvent, lanes, medianOf, startWorld } from '../../src/index.ts'
import type { World } from '../../src/index.ts'
import { besideOf } from './beside.ts'
import { attacks } from './hostile-tenants.ts'
import { routeCases } from '../complexity/routes.ts'
import type { Case, Scene } from '../complexity/routes.ts'
import type { CalmOrder, Measured } from './other-account.ts'
import type { Order } from './stranger.ts'

const rounds = 3
const roundMs = 1_500
/** One event may cost 20 ms, and two such events may precede another client's request. */
const NOTICED_MS = 50

const besideMs = { beforeMs: 8_000, attackMs: 15_000 }

const wanted = process.argv[2] ?? ''
const cases = routeCases.filter(({ name }) => name.includes(wanted))
const children: ChildProcess[] = []
const say = (line: string): void => void process.stdout.write(`${line}\n`)

await holdMachine('npm run attacks')
const http2 = fork(join(import.meta.dirname, '../../../../packages/http2/conformance/attacks.ts'), [
  wanted,
])
const [http2Code] = await once(http2, 'exit')

const folder = await mkdtemp(join(tmpdir(), 'weir-attacks-'))
const stack = await startStack({ folder: join(folder, 'stack'), ports: 'free' })
let world: World | undefined
try {
  process.env['KAFKA_BROKERS'] = stack.kafkaBrokers
  process.env['KAFKA_PREFIX'] = ''
  process.env['SCHEMA_REGISTRY_URL'] = stack.schemaRegistryUrl
  process.env['PLATFORM_KEY'] = makePlatformKey()
  process.env['KEK_FOLDER'] = folder
  await makeKekFiles(folder)
  world = await startWorld()
  const failed = await attackAll(world)
  say(`${cases.length - failed} of ${cases.length} requests go unnoticed`)
  const felt = await feltOf(world)
  process.exitCode = failed === 0 && felt === 0 && http2Code === 0 ? 0 : 1
} finally {
  for (const child of children) child.kill('SIGKILL')
  await world?.stop()
  await stack.stop()
  await rm(folder, { recursive: true, force: true })
}

function start(file: string): ChildProcess {
  const child = fork(join(import.meta.dirname, file))
  children.push(child)
  return child
}

async function attackAll(own: World): Promise<number> {
  const [auth, ingest, output] = await Promise.all([
    own.replica('auth'),
    own.replica('ingest'),
    own.replica('output'),
  ])
  const elsewhere = { auth, ingest, output }
  const [scene, calm] = [await strangerOf(own.auth), await otherAccountOf(own.auth)]
  const [other, stranger] = [start('other-account.ts'), start('stranger.ts')]
  const measure = async (at: Case['at'], target?: { service: Service; bytes: Buffer }) => {
    const order: Order = target && {
      url: target.service.url,
      base64: target.bytes.toString('base64'),
    }
    stranger.send({ order })
    const answer = once(other, 'message')
    other.send({ ...calm[at], url: own[at].url, ms: roundMs } satisfies CalmOrder)
    const [measured]: Measured[] = await answer
    const done = once(stranger, 'message')
    stranger.send({ order: undefined })
    await done
    if (measured === undefined) throw new Error('nothing was measured')
    return measured
  }
  let failed = 0
  say('p99, ms: calm, attacked elsewhere, attacked; failures')
  for (const each of cases) {
    const bytes = each.send(8 * each.size, scene)
    const seen: Record<'calm' | 'other' | 'attacked', Measured[]> = {
      calm: [],
      other: [],
      attacked: [],
    }
    for (let round = 0; round < rounds; round += 1) {
      seen.calm.push(await measure(each.at))
      seen.other.push(await measure(each.at, { service: elsewhere[each.at], bytes }))
      seen.attacked.push(await measure(each.at, { service: own[each.at], bytes }))
    }
    const failures = seen.attacked.reduce((sum, one) => sum + one.failures, 0)
    const isGood = failures === 0 && p99Of(seen.attacked) < p99Of(seen.other) + NOTICED_MS
    const times = [seen.calm, seen.other, seen.attacked].map((all) => p99Of(all).toFixed(1))
    const cells = times.map((time) => time.padStart(7)).join(' ')
    say(`${cells} ${failures} ${isGood ? 'ok  ' : 'FAIL'} ${each.at}: ${each.name}`)
    if (!isGood) failed += 1
  }
  return failed
}

/** Returns how many attacks affect another account, whose requests fail or take more than twice as long. */
async function feltOf(own: World): Promise<number> {
  let felt = 0
  for (const attack of attacks.filter(({ name }) => name.includes(wanted))) {
    say(`one account: ${attack.name}`)
    const { before, meanwhile, answers } = await besideOf(own, attack, besideMs)
    const ratios = lanes.map((lane) => {
      const [calm, attacked] = [medianOf(before.times[lane]), medianOf(meanwhile.times[lane])]
      say(`  ${lane.padEnd(12)} median ${calm.toFixed(1)} ms, then ${attacked.toFixed(1)} ms`)
      return attacked / calm
    })
    const isGood = meanwhile.failures.length === 0 && Math.max(...ratios) <= 2
    say(
      `  ${isGood ? 'ok  ' : 'FAIL'} the attacker's answers: ${[...answers].map((each) => each.join(' × ')).join(', ')}`,
    )
    for (const failure of new Set(meanwhile.failures)) say(`    ${failure}`)
    if (!isGood) felt += 1
  }
  return felt
}

/** Returns the p99 of the best round, because other load on the machine can only add time. */
function p99Of(all: readonly Measured[]): number {
  const p99s = all.map(({ tookMs }) => {
    return tookMs.toSorted((a, b) => a - b)[Math.floor(0.99 * tookMs.length)] ?? 0
  })
  return Math.min(...p99s)
}

async function strangerOf(auth: Service): Promise<Scene> {
  const account = await signUp(auth.url)
  await account.contract('clickstream')
  const stream = await account.input('in')
  return { apiKey: account.apiKey, token: await account.token(stream), stream: stream.name }
}

/** Returns the request that the other account repeats, for each service. */
async function otherAccountOf(
  auth: Service,
): Promise<Record<Case['at'], Omit<CalmOrder, 'url' | 'ms'>>> {
  const account = await signUp(auth.url)
  await account.contract('clickstream')
  const stream = await account.input('in')
  const derived = await account.output(stream.name, 'out', { consentLevels: [1] })
  const { billingId, apiKey } = account
  const { clientId, clientSecret } = stream
  return {
    auth: {
      request: { ':method': 'POST', ':path': '/auth', 'content-type': 'application/json' },
      body: JSON.stringify({ billingId, clientId, clientSecret }),
      status: 200,
    },
    ingest: {
      request: {
        ':method': 'POST',
        ':path': '/event',
        authorization: `Bearer ${await account.token(stream)}`,
        'svc-schema-id': 'clickstream',
      },
      body: JSON.stringify(await exampleEvent('clickstream')),
      status: 204,
    },
    output: {
      request: {
        ':path': `/v2/streams/${stream.name}/outputs/${derived.name}/lag`,
        authorization: `Bearer ${apiKey}`,
      },
      body: '',
      status: 200,
    },
  }
}
