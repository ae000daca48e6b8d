// `npm run bench [-- part …] [--json FILE]`: runs each given part on a Kafka and registry of its own, and prints the
// results. Only ratios within one run are comparable, because absolute figures depend on the machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import {
  argumentsOrExit,
  exitWithUsage,
  holdMachine,
  makeKekFiles,
  makePlatformKey,
  startStack,
} from '@weir/devstack'
import { benchChanges } from './changes.ts'
import { benchClient } from './client.ts'
import { benchDerive } from './derive.ts'
import { benchForgetting } from './forgetting/forgetting.ts'
import { benchIngest } from './ingest.ts'
import { benchRest, benchStreams } from './many-streams/costs.ts'
import { benchFleet } from './many-streams/fleet.ts'
import { otherCore, pin } from './processes.ts'
import { benchProducers } from './producers.ts'
import { resultTableOf } from './results.ts'
import { measureStalls } from './stalls.ts'
import type { Result } from './results.ts'
import { benchLatency, benchTail } from './watch.ts'

const parts = {
  ingest: benchIngest,
  derive: benchDerive,
  latency: benchLatency,
  changes: benchChanges,
  forgetting: benchForgetting,
  tail: benchTail,
  streams: benchStreams,
  rest: benchRest,
  fleet: benchFleet,
  producers: benchProducers,
  client: benchClient,
}
const isPart = (name: string): name is keyof typeof parts => Object.hasOwn(parts, name)

const usage = `npm run bench -- [${Object.keys(parts).join('] [')}] [--runs N] [--seconds N] [--only NAME] [--events N] [--erasures N] [--streams N] [--profile FOLDER] [--json FILE]`
const { values, positionals } = argumentsOrExit(usage, {
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    events: { type: 'string', default: '1000000' },
    erasures: { type: 'string', default: '10000' },
    streams: { type: 'string' },
    profile: { type: 'string' },
  },
})
const wanted = positionals.length === 0 ? Object.keys(parts) : positionals
const unknown = wanted.filter((name) => !isPart(name))
const runs = Number(values.runs)
const seconds = Number(values.seconds)
const events = Number(values.events)
const erasures = Number(values.erasures)
const streams = values.streams === undefined ? undefined : Number(values.streams)
if (
  unknown.length > 0 ||
  !(runs >= 1) ||
  !(seconds > 0) ||
  !(events >= 1_000) ||
  !(erasures >= 1) ||
  !((streams ?? 1) >= 1)
)
  exitWithUsage(usage)

const log = (line: string): void => void process.stdout.write(`${line}\n`)
await holdMachine('npm run bench')
const stalls = measureStalls(3_000)
log(
  `the machine by itself stands still for ${stalls.percent} % of the time, ${stalls.longestMs} ms at most`,
)
const temporary = tmpdir()

/** Runs a part on a new Kafka, so that no figure depends on the parts before. */
async function runPart(name: keyof typeof parts): Promise<Result[]> {
  const folder = await mkdtemp(join(temporary, 'weir-bench-'))
  const stack = await startStack({ folder, ports: 'free', onProgress: log })
  try {
    const brokerPid = stack.brokerPid()
    if (brokerPid !== undefined) pin(brokerPid, otherCore)
    await makeKekFiles(folder)
    Object.assign(process.env, {
      TMPDIR: folder, // the parts' files are deleted with this folder
      KAFKA_BROKERS: stack.kafkaBrokers,
      KAFKA_PREFIX: '',
      SCHEMA_REGISTRY_URL: stack.schemaRegistryUrl,
      KEK_FOLDER: folder,
      PLATFORM_KEY: makePlatformKey(),
    })
    return await parts[name]({
      runs,
      warmUpMs: 3_000,
      measuredMs: seconds * 1000,
      only: values.only,
      events,
      erasures,
      streams,
      brokerPid,
      profileFolder: values.profile,
      log,
    })
  } finally {
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const results: Result[] = []
const failed: string[] = []
for (const name of wanted.filter(isPart)) {
  try {
    results.push(...(await runPart(name)))
  } catch (error) {
    // The results of the other parts took minutes.
    failed.push(name)
    log(`${name} failed: ${inspect(error)}`)
  }
}
log(`\n${resultTableOf(results)}`)
const [cpu] = cpus()
const machine = {
  cpu: cpu?.model ?? arch(),
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  stalls,
}
if (values.json !== undefined)
  await writeFile(values.json, `${JSON.stringify({ machine, results }, null, 2)}\n`)
if (failed.length > 0) log(`failed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
