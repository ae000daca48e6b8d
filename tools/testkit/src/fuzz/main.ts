// `npm run fuzz -- [target] [--minutes N]`: fuzzes one target, or all targets one after the other, each for the given
// time (default one minute). A finding makes the exit code 1, and is written to tools/testkit/fuzz/<target>/. The files
// there seed every later run. `--runs N --seed N` makes a run reproducible, as in `npm test`.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { argumentsOrExit } from '@weir/devstack'
import { startCoverage } from './coverage.ts'
import { fuzz } from './fuzz.ts'
import type { FuzzTarget } from './target.ts'
import { startWatch } from './watch.ts'

const repository = join(import.meta.dirname, '../../../..')
const corpora = join(repository, 'tools/testkit/fuzz')
/** Inputs that runs without `--runs` keep. They are not committed. */
const keptFolder = join(repository, '.weir/fuzz')

const usage = 'npm run fuzz -- [target] [--minutes N] [--runs N] [--seed N]'
const { values, positionals } = argumentsOrExit(usage, {
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    runs: { type: 'string' },
    seed: { type: 'string' },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Loads the targets from the test folders. */
async function findTargets(): Promise<FuzzTarget[]> {
  const targets: FuzzTarget[] = []
  for await (const file of glob('{packages,services,clients,tools}/*/test/fuzz-targets.ts', {
    cwd: repository,
  })) {
    const { fuzzTargets }: { fuzzTargets: readonly FuzzTarget[] } = await import(
      join(repository, file)
    )
    targets.push(...fuzzTargets)
  }
  return targets.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function filesIn(folder: string): Buffer[] {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file)))
}

const nameOf = (octets: Buffer): string =>
  createHash('sha256').update(octets).digest('hex').slice(0, 12)

/** Fuzzes one target. Returns false if there was a finding. */
async function fuzzTarget(target: FuzzTarget): Promise<boolean> {
  const folder = join(corpora, target.name)
  const isRepeatable = values.runs !== undefined
  const runsMax = Number(values.runs ?? Infinity)
  const corpus = [
    ...filesIn(folder),
    ...(isRepeatable ? [] : filesIn(join(keptFolder, target.name))),
  ]
  const watch = startWatch(folder)
  const endMs = performance.now() + Number(values.minutes) * 60_000
  const { runs, kept, finding } = await fuzz({
    target,
    coverage: startCoverage(),
    corpus,
    seed: Number(values.seed ?? Date.now()),
    watch: watch.see,
    mayGoOn: (soFar) => soFar < runsMax && (isRepeatable || performance.now() < endMs),
  })
  await watch.end()
  say(`${target.name}: ${runs} runs, ${corpus.length} inputs given, ${kept.length} kept`)
  if (finding === undefined) {
    if (!isRepeatable)
      for (const octets of kept)
        writeFileSync(join(keptFolder, target.name, nameOf(octets)), octets)
    return true
  }
  const file = join(folder, `found-${nameOf(finding.octets)}`)
  writeFileSync(file, finding.octets)
  say(`${target.name}: FOUND, in ${file}: ${finding.what}`)
  return false
}

const wanted = (await findTargets()).filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
)
let found = wanted.length === 0 ? 1 : 0
if (wanted.length === 0) say('There is no such target')
for (const target of wanted) if (!(await fuzzTarget(target))) found += 1
process.exit(found === 0 ? 0 : 1)
