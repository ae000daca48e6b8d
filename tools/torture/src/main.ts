// `npm run torture -- --minutes N --seed S [--breakage NAME]`: injects faults while events flow, and checks that no
// event is lost, duplicated, or decrypted above its level. Exits with 1 after violations, and with 2 for invalid
// arguments.
import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import {
  argumentsOrExit,
  exitWithUsage,
  holdMachine,
  makeKekFiles,
  makePlatformKey,
} from '@weir/devstack'

import { isBreakage, needsThree, tellingFaults } from './breakages.ts'
import { faultKinds, faultKindsOf } from './faults/plan.ts'
import type { FaultKind } from './faults/plan.ts'
import { reportText } from './report.ts'
import { runTorture } from './run.ts'

const usage =
  'npm run torture -- [--minutes N] [--seed N] [--faults A,B | --kill-output-every SECONDS] [--rate N] [--brokers 1|3] [--expire-ids SECONDS] [--breakage NAME] [--keep] [--json FILE]'
const { values } = argumentsOrExit(usage, {
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
    faults: { type: 'string' },
    'kill-output-every': { type: 'string' },
    'expire-ids': { type: 'string' },
    brokers: { type: 'string' },
    rate: { type: 'string', default: '120' },
    breakage: { type: 'string' },
    keep: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

const isFaultKind = (name: string): name is FaultKind => faultKinds.some((kind) => kind === name)
const named = values.breakage ?? ''
const breakage = isBreakage(named) ? named : undefined
const brokers = (values.brokers ?? (needsThree(named) ? '3' : '1')) === '3' ? 3 : 1
const expireIds = values['expire-ids']
const expireIdsMs = expireIds === undefined ? undefined : Number(expireIds) * 1_000
const known = faultKindsOf(brokers).filter((kind) => kind !== 'late-write' || !expireIdsMs)
const telling = breakage === undefined ? undefined : tellingFaults[breakage]
const names = values.faults?.split(',') ?? telling ?? known
const faults = names.filter(isFaultKind)
const [minutes, seed, rate] = [values.minutes, values.seed, values.rate].map(Number)
const killEvery = values['kill-output-every']
const killOutputEveryMs = killEvery === undefined ? undefined : Number(killEvery) * 1_000
const isUnheardOf = values.breakage !== breakage
const isNever = [killOutputEveryMs, expireIdsMs].some((ms) => ms !== undefined && !(ms > 0))
if (isUnheardOf || isNever || !minutes || !seed || !rate || faults.length < names.length)
  exitWithUsage(usage)

await holdMachine('npm run torture')
const lanesOfEachStream = 5
const folder = await mkdtemp(join(tmpdir(), 'weir-torture-'))
await makeKekFiles(folder)
const platformKey = makePlatformKey()
process.env['PLATFORM_KEY'] = platformKey
const say = (line: string): void => void process.stdout.write(`${line}\n`)
say(`seed ${seed}, ${minutes} minutes, in ${folder}`)
const report = await runTorture({
  folder,
  kekFolder: folder,
  platformKey,
  seed,
  minutes,
  brokers,
  expireIdsMs,
  schemaRegistryUrl: undefined,
  faults,
  killOutputEveryMs,
  breakage,
  say,
  size: {
    lanesOfEachStream,
    personsOfEachLane: 6,
    requestsASecondOfEachLane: rate / (2 * lanesOfEachStream),
  },
})
say(reportText(report))
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
if (!values.keep) await rm(folder, { recursive: true, force: true })
process.exit(report.violations > 0 ? 1 : 0)
