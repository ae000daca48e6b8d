// Checks whether services are running. During a restore they would read states that never existed, and write records.
import { setTimeout } from 'node:timers/promises'
import type { LogOffsets, RangeReader } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { parseHeartbeat, replicasTopic } from '@weir/control-state'

type Deps = {
  readonly offsets: Pick<LogOffsets, 'ends'>
  readonly reader: Pick<RangeReader, 'read'>
}

/** A replica writes a heartbeat each second. */
const watchedMs = 3_000

/** @throws AppError `backup.services_running`, after 3 s of watching */
export async function demandStopped({ offsets, reader }: Deps): Promise<void> {
  const [from = 0n] = await offsets.ends(replicasTopic, { isolation: 'read_committed' })
  await setTimeout(watchedMs)
  const [to = 0n] = await offsets.ends(replicasTopic, { isolation: 'read_committed' })
  const running = new Set<string>()
  await reader.read({ topic: replicasTopic, partition: 0, from, to }, (records) => {
    for (const { key, value } of records) {
      const id = key?.toString() ?? ''
      const beat = value === null ? undefined : parseHeartbeat(id, value)
      if (beat !== undefined && beat.leaving === undefined) running.add(`${beat.service} ${id}`)
    }
  })
  if (running.size > 0)
    throw new AppError(
      'backup.services_running',
      `Stop all services first. These are running: ${[...running].toSorted().join(', ')}.`,
    )
}
