// Everything that a run has left in Kafka, checked topic by topic, so that no more than one stream and what is
// derived from one of its partitions is held in memory.
import { readSource } from '@weir/kafka'

import type { Kind } from '../events.ts'
import type { Ledger } from '../ledger.ts'
import type { DerivedStream, InputStream, Streams } from '../streams.ts'
import type { Topics } from '../world/topics.ts'
import { checkDerived } from './check-derived.ts'
import { createInputCheck } from './check-input.ts'
import type { Violations } from './violations.ts'

export type Checked = {
  inputRecords: number
  derivedRecords: number
  derivedStreams: number
  /** Those that retention took before they were derived, summed over derived streams. */
  lostToRetention: number
  personsOfSeveralEpochs: number
}

/** What replicas have reported as lost to retention, of a derived topic's partition at a time. */
export type LossReport = { topic: string; partition: number; events: number }

type Deps = {
  kinds: readonly Kind[]
  ledger: Ledger
  streams: Streams
  topics: Topics
  violations: Violations
  losses: readonly LossReport[]
}

export async function checkWorld(deps: Deps): Promise<Checked> {
  const checked: Checked = {
    inputRecords: 0,
    derivedRecords: 0,
    derivedStreams: deps.streams.derived().length,
    lostToRetention: 0,
    personsOfSeveralEpochs: 0,
  }
  for (const input of deps.streams.inputs) await checkStream(deps, input, checked)
  for (const derived of deps.streams.derived()) {
    checkLosses(deps, derived, checked)
    await expectNoDead(deps, derived)
  }
  return checked
}

async function checkStream(deps: Deps, stream: InputStream, checked: Checked): Promise<void> {
  const check = createInputCheck(deps, stream)
  const derived = deps.streams.derivedFrom(stream)
  for (let partition = 0; partition < stream.partitions; partition += 1) {
    const input = await deps.topics.read(stream.topic, partition)
    checked.inputRecords += input.length
    for (const record of input) check.take(record)
    for (const each of derived) {
      const records = await deps.topics.read(each.topic, partition)
      checked.derivedRecords += records.length
      checkDerived(deps, each, { partition, input, derived: records })
    }
  }
  check.finish()
  checked.personsOfSeveralEpochs += check.personsOfSeveralEpochs()
}

/** A derived stream as it is now, while events flow: all up to its last record. */
export async function checkSoFar(
  deps: Omit<Deps, 'losses' | 'streams'>,
  stream: DerivedStream,
): Promise<void> {
  for (let partition = 0; partition < stream.input.partitions; partition += 1) {
    const derived = await deps.topics.read(stream.topic, partition)
    const last = derived.at(-1)
    const end = last === undefined ? -1n : (readSource(last)?.offset ?? -1n)
    const input = await deps.topics.read(stream.input.topic, partition)
    const sources = input.filter(({ offset }) => offset <= end)
    checkDerived(deps, stream, { partition, input: sources, derived })
  }
}

function checkLosses(deps: Deps, { topic, gaps }: DerivedStream, checked: Checked): void {
  for (const { partition, from, to, countedAtLeast } of gaps) {
    checked.lostToRetention += Number(countedAtLeast)
    const isReported = deps.losses.some(
      (loss) =>
        loss.topic === topic && loss.partition === partition && loss.events >= countedAtLeast,
    )
    if (!isReported)
      deps.violations.add('not-counted', `${topic}/${partition}`, `lost ${from} to ${to}`)
  }
}

/** Ends of transactions are no records: whoever ends what another left open ends it in both topics. */
async function expectNoDead(
  { topics, violations }: Deps,
  { topic, input }: DerivedStream,
): Promise<void> {
  for (let partition = 0; partition < input.partitions; partition += 1) {
    const dead = await topics.read(`${topic}.dead`, partition)
    if (dead.length > 0)
      violations.add('dead', `${topic}.dead/${partition}`, `holds ${dead.length} records`)
  }
}
