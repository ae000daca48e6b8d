// Checks everything that a run has left in Kafka. To limit memory, it reads one partition of one input stream at a
// time.
import type { SourceRecord } from '@weir/kafka'

import type { Kind } from '../events.ts'
import type { Ledger } from '../ledger.ts'
import type { TorturePeople } from '../people.ts'
import type { TestOutput, TestInput, TortureStreams } from '../streams.ts'
import type { Topics } from '../world/topics.ts'
import { isForeign, isOurs } from '../world/strangers.ts'
import { checkDead } from './check-dead.ts'
import { checkDerived } from './check-derived.ts'
import { createInputCheck } from './check-input.ts'
import { sourceOffsetOf } from './stored.ts'
import type { Violations } from './violations.ts'

export type Checked = {
  inputRecords: number
  derivedRecords: number
  deadLetters: number
  derivedStreams: number
  /** Records that retention removed before they were derived, summed over derived streams. */
  lostToRetention: number
  personsOfSeveralEpochs: number
}

/** How many events of a derived partition a replica reported as lost to retention. */
export type LossReport = { topic: string; partition: number; events: number }

type Deps = {
  kinds: readonly Kind[]
  ledger: Ledger
  people: TorturePeople
  streams: TortureStreams
  topics: Topics
  violations: Violations
  losses: readonly LossReport[]
}

export async function checkWorld(deps: Deps): Promise<Checked> {
  const checked: Checked = {
    inputRecords: 0,
    derivedRecords: 0,
    deadLetters: 0,
    derivedStreams: deps.streams.derived().length,
    lostToRetention: 0,
    personsOfSeveralEpochs: 0,
  }
  for (const input of deps.streams.inputs) await checkStream(deps, input, checked)
  for (const derived of deps.streams.derived()) checkLosses(deps, derived, checked)
  return checked
}

async function checkStream(deps: Deps, stream: TestInput, checked: Checked): Promise<void> {
  const check = createInputCheck(deps, stream)
  const derived = deps.streams.derivedFrom(stream)
  for (let partition = 0; partition < stream.partitions; partition += 1) {
    const input = await deps.topics.read(stream.topic, partition)
    checked.inputRecords += input.length
    for (const record of input) check.take(record)
    for (const each of derived) await checkPartition(deps, each, { partition, input }, checked)
  }
  check.finish()
  checked.personsOfSeveralEpochs += check.personsOfSeveralEpochs()
}

type PartitionOf = { readonly partition: number; readonly input: readonly SourceRecord[] }

/** Checks what `read_committed` readers see, and what `read_uncommitted` readers see. */
async function checkPartition(
  deps: Deps,
  stream: TestOutput,
  { partition, input }: PartitionOf,
  checked: Checked,
): Promise<void> {
  const [events, corrupt] = [input.filter(isOurs), input.filter(isForeign)]
  for (const read of [deps.topics.read, deps.topics.readUncommitted]) {
    const derived = (await read(stream.topic, partition)).filter(isOurs)
    const dead = (await read(`${stream.topic}.dead`, partition)).filter(isOurs)
    checkDerived(deps, stream, { partition, input: events, derived })
    checkDead(deps, stream, { partition, input: corrupt, dead })
    if (read !== deps.topics.read) continue
    checked.derivedRecords += derived.length
    checked.deadLetters += dead.length
  }
}

/** Checks a derived stream up to its last record, while events flow. */
export async function checkSoFar(
  deps: Omit<Deps, 'losses' | 'streams'>,
  stream: TestOutput,
): Promise<void> {
  for (let partition = 0; partition < stream.input.partitions; partition += 1) {
    const derived = (await deps.topics.read(stream.topic, partition)).filter(isOurs)
    const last = derived.at(-1)
    const end = last === undefined ? -1n : (sourceOffsetOf(last) ?? -1n)
    const input = await deps.topics.read(stream.input.topic, partition)
    const sources = input.filter((record) => record.offset <= end && isOurs(record))
    checkDerived(deps, stream, { partition, input: sources, derived })
  }
}

function checkLosses(deps: Deps, { topic, gaps }: TestOutput, checked: Checked): void {
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
