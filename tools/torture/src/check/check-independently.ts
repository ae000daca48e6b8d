// Checks a run with a program that shares no code with Weir: a Python script with Confluent's client and fastavro. The
// script checks less than the other modules of this folder, because it knows neither responses nor keys.
import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'

import { asObject } from '@weir/testkit'

import { markOf } from '../events.ts'
import type { Ledger } from '../ledger.ts'
import type { TorturePeople } from '../people.ts'
import type { TestOutput, TortureStreams } from '../streams.ts'
import type { Violations } from './violations.ts'

const root = join(import.meta.dirname, '../../../..')
const python = join(root, '.weir/venv/bin/python')
const script = join(import.meta.dirname, '../../check_topics.py')

/** The addresses that a client outside Weir uses. */
export type Outside = { readonly brokers: readonly string[]; readonly schemaRegistryUrl: string }

type Deps = {
  readonly outside: Outside
  readonly ledger: Pick<Ledger, 'all'>
  readonly people: Pick<TorturePeople, 'fateOf'>
  readonly streams: TortureStreams
  readonly violations: Violations
}

/** Call before a run, so that no run ends without a result. */
export async function requirePython(): Promise<void> {
  await access(python).catch(() => {
    throw new Error(
      '.weir/venv with confluent-kafka and fastavro is missing: tools/testkit/ci/prepare.sh installs it',
    )
  })
}

/** @returns the number of derived records that it has read */
export async function checkIndependently(deps: Deps): Promise<number> {
  const { derivedRecords, violations } = asObject(await ask(questionOf(deps)))
  for (const what of Array.isArray(violations) ? violations : [])
    deps.violations.add('seen-from-outside', 'check_topics.py', String(what))
  return Number(derivedRecords)
}

const questionOf = ({ outside, streams, ...deps }: Deps) => ({
  brokers: outside.brokers.join(','),
  registry: outside.schemaRegistryUrl,
  isolation: ['read_committed', 'read_uncommitted'],
  streams: streams.inputs.map((input) => ({
    topic: input.topic,
    partitions: input.partitions,
    derived: streams.derivedFrom(input).map((stream) => derivedOf(deps, stream)),
  })),
})

type Who = Pick<Deps, 'ledger' | 'people'>

const derivedOf = (who: Who, { topic, input, levels, start, gaps }: TestOutput) => ({
  topic,
  // Withdrawals may have removed these events.
  mayLack: who.ledger
    .all()
    .filter(({ stream }) => stream === input.name)
    .filter((event) => {
      const { mayBeGone } = who.people.fateOf(event, Infinity)
      return levels.levels.some((level) => mayBeGone.has(level))
    })
    .map(({ number }) => markOf(number)),
  levels: levels.levels,
  startLatest: start.map(({ latest }) => Number(latest)),
  gaps: gaps.map(({ partition, from, to }) => ({ partition, from: Number(from), to: Number(to) })),
})

async function ask(question: object): Promise<unknown> {
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(JSON.stringify(question))
  const [found, trouble] = await Promise.all([
    json(child.stdout).catch(() => undefined),
    text(child.stderr),
  ])
  if (found === undefined) throw new Error(`check_topics.py did not end well: ${trouble}`)
  return found
}
