// auth's stewardship of control state: who may write it, what must be there before auth is ready, and what
// comes round as long as it runs.
import { randomUUID } from 'node:crypto'
import type { KekProvider } from '@weir/fieldcrypt'
import type { Admin, Kafka, Registry } from '@weir/kafka'
import { AppError, hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import {
  cleanUp,
  createRings,
  createSigner,
  createWriter,
  keepErasAhead,
  keepSigningKeys,
  writerTransactor,
} from '@weir/streams'
import type { StateFollower, Stewardship, Writer } from '@weir/streams'
import { createBoot } from './boot.ts'
import type { Boot } from './boot.ts'
import { makeControlTopics } from './bootstrap.ts'
import { checkRegistry } from './check-registry.ts'
import type { Config } from './config.ts'
import type { AuthMetrics } from './metrics.ts'
import { startRounds } from './rounds.ts'
import type { Rounds } from './rounds.ts'
import { createUsageSteward } from './usage/usage-steward.ts'
import type { UsageSteward } from './usage/usage-steward.ts'

const cleanUpIdleMs = 15_000
const erasEveryMs = 3_600_000
const signingKeysEveryMs = 600_000

export type StewardParts = {
  readonly config: Pick<Config, 'PRODUCE_TIMEOUT_MS' | 'TOPIC_REPLICATION'>
  readonly kafka: Kafka
  readonly admin: Admin
  readonly follower: StateFollower
  readonly kek: KekProvider
  readonly registry: Registry
  readonly metrics: Pick<AuthMetrics, 'changed'>
  readonly log: Log
}

export type Steward = {
  readonly stewardship: Stewardship
  readonly boot: Boot
  readonly usage: UsageSteward
  /** The upkeep; to be called once control state is read. */
  startUpkeep(): void
  close(): Promise<void>
}

export function createSteward(parts: StewardParts): Steward {
  const { config, kafka, admin, follower, kek, metrics, log } = parts
  const makeTransactor = () => writerTransactor(kafka)
  const writer = countChanges(
    createWriter({ follower, log, now: Date.now, makeTransactor }),
    metrics,
  )
  let rounds: Rounds | undefined
  const replica = randomUUID()
  const usage = createUsageSteward({ kafka, admin, follower, replica, now: Date.now })
  const stewardship: Stewardship = {
    writer,
    follower,
    admin,
    rings: createRings({ writer, follower, kek }),
    log,
    now: Date.now,
    replica,
    produceTimeoutMs: config.PRODUCE_TIMEOUT_MS,
    topicReplication: config.TOPIC_REPLICATION,
    forgetUsage: usage.forget,
    cleanUpSoon: () => rounds?.hurry('clean-up'),
  }
  const boot = createBoot(bootSteps(parts, stewardship), log)
  return {
    stewardship,
    boot,
    usage,
    startUpkeep() {
      // Nobody waits for it: until everything is read, there is nothing to sweep.
      void usage.replicas.start()
      rounds = startRounds([...upkeepOf(stewardship), ...usage.rounds], log)
    },
    async close() {
      boot.stop()
      await rounds?.close()
      await Promise.all([writer.close(), usage.close()])
    },
  }
}

/** Deleted streams that are not cleaned up yet. */
export const countDead = ({ tables }: StateFollower): number =>
  [...tables.streams()].filter(({ state }) => state === 'deleting').length

function bootSteps({ admin, config, log, follower, registry }: StewardParts, deps: Stewardship) {
  return [
    {
      reason: 'the topics of control state are not there yet',
      run: () => makeControlTopics({ admin, log, topicReplication: config.TOPIC_REPLICATION }),
    },
    { reason: 'control state is not read to its end yet', run: () => follower.start() },
    {
      reason: 'there is no key to sign tokens with yet',
      async run() {
        await keepSigningKeys(deps)
        createSigner(deps)()
      },
    },
    { reason: 'the keys of the next era are not there yet', run: () => keepErasAhead(deps) },
    {
      reason: 'the schema registry does not know the contracts by their ids, or was not asked yet',
      async run() {
        const [problem, ...others] = await checkRegistry({ follower, registry, log })
        if (problem === undefined) return
        throw new AppError('registry_differs', `${problem} (and ${others.length} more)`)
      },
    },
  ]
}

function upkeepOf(deps: Stewardship) {
  return [
    {
      name: 'clean-up',
      run: async () => (await cleanUp(deps)) ?? cleanUpIdleMs,
    },
    {
      name: 'eras',
      async run() {
        await keepErasAhead(deps)
        return erasEveryMs
      },
    },
    {
      name: 'signing keys',
      async run() {
        await keepSigningKeys(deps)
        return signingKeysEveryMs
      },
    },
  ]
}

function countChanges(writer: Writer, metrics: Pick<AuthMetrics, 'changed'>): Writer {
  return {
    async change(decide) {
      try {
        const answer = await writer.change(decide)
        metrics.changed('done')
        return answer
      } catch (error) {
        metrics.changed(hasCode(error, 'unavailable') || !hasCode(error) ? 'failed' : 'refused')
        throw error
      }
    },
    close: () => writer.close(),
  }
}
