// `npm run attacks`: how attacks on a server affect its well-behaved client. The client is measured without an attack,
// during an attack on another server (which costs the machine as much), and during an attack on its own server. Each
// result is the best of several rounds. Fails if a request failed, if the p99 under attack is at least twice that of
// the attack elsewhere and 10 ms longer, or if the server's memory does not recede. `npm run attacks -- PING` runs the
// attacks whose name contains PING.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { delay, pollUntil } from '@weir/kit'
import { attacks } from './attack-list.ts'
import type { Order } from './attacker.ts'
import type { Measured } from './calm-client.ts'

const rounds = 4
const roundMs = 800
const settleMs = 200
const worseMax = 2
/** Smaller differences are noise: 5 to 8 ms occur in all three measurements. */
const noticedMs = 10
const grownBytesMax = 8 * 1_048_576
const deadlineMs = 20_000

const wanted = attacks.filter(({ name }) => name.includes(process.argv[2] ?? ''))
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const children: ChildProcess[] = []

/** Server and client share a core. The attacker and the other server share the next one. */
function start(file: string, core: 0 | 1, args: readonly string[] = []): ChildProcess {
  const isPinned = process.platform === 'linux' && availableParallelism() > 1
  const pinned = { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath] }
  const child = fork(join(import.meta.dirname, file), args, {
    ...(isPinned ? pinned : {}),
    silent: true,
  })
  child.stderr?.pipe(process.stderr)
  children.push(child)
  return child
}

async function startServer(core: 0 | 1): Promise<number> {
  const { stdout } = start('../test/h2/attacked-server.ts', core)
  if (stdout === null) throw new Error('the server has no output')
  const [line] = await once(stdout, 'data')
  return Number(String(line))
}

const port = await startServer(0)
const elsewhere = await startServer(1)
const client = start('calm-client.ts', 0, [String(port)])
const attacker = start('attacker.ts', 1)

async function memoryBytes(): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/memory`)
  const { bytes }: { bytes: number } = JSON.parse(await answer.text())
  return bytes
}

async function measured(ms: number): Promise<Measured> {
  const answer = once(client, 'message')
  client.send({ ms })
  const [result]: Measured[] = await answer
  if (result === undefined) throw new Error('the client measured nothing')
  return result
}

async function under(order: Order): Promise<Measured> {
  attacker.send({ order })
  await delay(settleMs)
  return measured(roundMs)
}

const p99OfOne = ({ tookMs }: Measured): number =>
  tookMs.toSorted((a, b) => a - b)[Math.floor(0.99 * tookMs.length)] ?? 0
/** Uses the best round, because other load on the machine can only add time. */
const p99Ms = (measurements: readonly Measured[]): number => Math.min(...measurements.map(p99OfOne))

/** Returns the growth of the server's memory, or undefined if the memory doesn't recede. */
async function growth(before: number): Promise<number | undefined> {
  let grown = 0
  const isBack = async (): Promise<boolean> => {
    grown = (await memoryBytes()) - before
    return grown < grownBytesMax
  }
  const isReturned = await pollUntil(isBack, { deadlineMs, everyMs: 500 }).catch(() => false)
  return isReturned ? grown : undefined
}

async function judge(attack: string): Promise<boolean> {
  const before = await memoryBytes()
  const calm: Measured[] = []
  const other: Measured[] = []
  const attacked: Measured[] = []
  for (let round = 0; round < rounds; round += 1) {
    calm.push(await under(undefined))
    other.push(await under({ port: elsewhere, attack }))
    attacked.push(await under({ port, attack }))
  }
  attacker.send({ order: undefined })
  const grown = await growth(before)
  const failures = attacked.reduce((sum, measurement) => sum + measurement.failures, 0)
  const worse = p99Ms(attacked) / p99Ms(other)
  const isWorse = worse >= worseMax && p99Ms(attacked) - p99Ms(other) >= noticedMs
  const isGood = failures === 0 && !isWorse && grown !== undefined
  const times = [p99Ms(calm), p99Ms(other), p99Ms(attacked), worse]
  const cells = times.map((value) => value.toFixed(2).padStart(7))
  const memory = grown === undefined ? 'grown' : `${(grown / 1_048_576).toFixed(1)} MiB`
  say(`${cells.join(' ')} ${failures} ${memory.padStart(9)} ${isGood ? 'ok  ' : 'FAIL'} ${attack}`)
  return isGood
}

try {
  await measured(roundMs) // warms up
  say('p99, ms: calm, attacked elsewhere, attacked; ratio of the last two; failures; memory after')
  let failed = 0
  for (const { name } of wanted) if (!(await judge(name))) failed += 1
  say(`${wanted.length - failed} of ${wanted.length} attacks go unnoticed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  for (const child of children) child.kill('SIGKILL')
}
