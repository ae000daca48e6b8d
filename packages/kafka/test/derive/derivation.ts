// A derivation to try things on: it copies values and drops those that begin with «no», and everything it is
// told to do otherwise is in its `settings`, which may change while it runs.
import { AppError, delay, pollUntil } from '@weir/kit'

import type { Admin } from '../../src/admin/admin.ts'
import type { DeriveOptions, Deriver } from '../../src/derive/derivation.ts'
import { deriveExactlyOnce } from '../../src/derive/exactly-once.ts'
import type { Kafka } from '../../src/connect/client.ts'
import { makeTopic, readRecords, uniqueName, writeTo } from '../support.ts'

export type Derivation = {
  inputTopic: string
  outputTopic: string
  deadLetterTopic: string
  groupId: string
  transactionalIdOf(partition: number): string
  write(partition: number, ...values: string[]): Promise<void>
  /** Goes on writing to all partitions until told to stop, which gives the number in each. */
  keepWriting(perRound: number, pauseMs: number): { stop(): Promise<number> }
  run(kafka: Kafka, options?: Partial<DeriveOptions>): Run
  /** `partition/offset` of each derived record's source, in the order of the log. */
  sources(): Promise<string[]>
  sourcesUntil(count: number): Promise<string[]>
}

export type Run = { deriver: Deriver; errors: string[]; lost: bigint[] }

type Config = Record<string, string>

export async function makeDerivation(
  admin: Admin,
  partitions: number,
  configs: { input?: Config; output?: Config; dead?: Config } = {},
): Promise<Derivation> {
  const inputTopic = await makeTopic(admin, 'derive-in', partitions, configs.input)
  const outputTopic = await makeTopic(admin, 'derive-out', partitions, configs.output)
  const deadLetterTopic = await makeTopic(admin, 'derive-dead', partitions, configs.dead)
  const groupId = uniqueName('derive')
  const transactionalIdOf = (partition: number) => `${groupId}.${partition}`

  async function sources(): Promise<string[]> {
    const records = await readRecords(outputTopic)
    return records.map(({ headers }) => {
      const source = headers['svc-source']?.toString() ?? ''
      return source.replace(`${inputTopic}/`, '')
    })
  }

  const write = (partition: number, ...values: string[]) =>
    writeTo(inputTopic, ...values.map((value) => ({ partition, key: value, value })))

  function keepWriting(perRound: number, pauseMs: number) {
    let written = 0
    let isStopped = false
    const all = Array.from({ length: partitions }, (_, partition) => partition)
    const writing = (async () => {
      while (!isStopped) {
        const values = Array.from({ length: perRound }, (_, index) => `v${written + index}`)
        await Promise.all(all.map((partition) => write(partition, ...values)))
        written += perRound
        await delay(pauseMs)
      }
    })()
    // Told by `stop`, which a failing test may come to late.
    writing.catch(() => undefined)
    return {
      async stop() {
        isStopped = true
        await writing
        return written
      },
    }
  }

  return {
    inputTopic,
    outputTopic,
    deadLetterTopic,
    groupId,
    transactionalIdOf,
    write,
    keepWriting,
    run(kafka, options = {}) {
      const errors: string[] = []
      const lost: bigint[] = []
      const deriver = deriveExactlyOnce(kafka, {
        groupId,
        inputTopic,
        outputTopic,
        deadLetterTopic,
        transactionalIdOf,
        mayTake: () => Promise.resolve(true),
        startOffset: () => 0n,
        transform: (records) =>
          records.map(({ key, value }) =>
            value?.toString().startsWith('no') ? undefined : { key, value },
          ),
        onError: (error) => errors.push(error instanceof AppError ? error.code : String(error)),
        onLost: (count) => lost.push(count),
        ...options,
      })
      return { deriver, errors, lost }
    },
    sources,
    async sourcesUntil(count) {
      await pollUntil(async () => (await sources()).length >= count, {
        deadlineMs: 30_000,
        everyMs: 50,
      })
      return sources()
    },
  }
}

/** `0/0`, `0/1`, … */
export function upTo(partition: number, count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => `${partition}/${from + index}`)
}
