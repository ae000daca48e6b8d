// Writes a whole backup, or nothing, into empty topics. It uses one transaction under the writer's transactional id, so
// that an auth that still runs is fenced.
import type { AddressedRecord, Admin, Kafka } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createRangeReader, createTransactor } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { auditTopic, controlTopic, keysTopic } from '@weir/control-state'
import { makeControlTopics } from '../control/control-topics.ts'
import { readLines } from './lines.ts'
import { withAuditLog } from './restore-audit.ts'

type RestoreDeps = {
  kafka: Kafka
  admin: Admin
  log: Log
  topicReplication: number | undefined
  say(line: string): void
}

const SEND_BYTES_MAX = 500_000
const TIMEOUT_MS = 60_000

export async function restoreTopics(
  { kafka, say, ...deps }: RestoreDeps,
  lines: AsyncIterable<string>,
): Promise<void> {
  const saved = await readLines(lines)
  await makeControlTopics(deps.admin.topics, deps.topicReplication)
  for (const topic of [controlTopic, keysTopic]) await demandEmpty(deps.admin.topics, topic)
  const records = withAuditLog(saved, await lastEntry(kafka, deps.admin.offsets), Date.now())
  const transactor = createTransactor(kafka, {
    transactionalId: 'weir.control.writer',
    timeoutMs: TIMEOUT_MS,
  })
  try {
    await transactor.fence()
    await transactor.transaction(async ({ send }) => {
      for (const chunk of chunksOf(records)) await send(chunk)
    })
  } finally {
    await transactor.close()
  }
  say(`${records.length} records are restored. Start auth, then the others.`)
}

/** The last entry of the audit log, if the log still exists. */
async function lastEntry(kafka: Kafka, offsets: Admin['offsets']): Promise<Buffer | undefined> {
  const [from = 0n] = await offsets.earliest(auditTopic)
  const [to = 0n] = await offsets.ends(auditTopic, { isolation: 'read_committed' })
  const reader = createRangeReader(kafka)
  let last: Buffer | undefined
  try {
    await reader.read({ topic: auditTopic, partition: 0, from, to }, (records) => {
      last = records.at(-1)?.value ?? last
    })
    return last
  } finally {
    await reader.close()
  }
}

async function demandEmpty(topics: Admin['topics'], topic: string): Promise<void> {
  if (await topics.isEmpty(topic)) return
  throw new AppError(
    'backup.not_empty',
    `${topic} is not empty. Stop all services and delete the topic first, if you no longer need it.`,
  )
}

function chunksOf(records: readonly AddressedRecord[]): AddressedRecord[][] {
  const chunks: AddressedRecord[][] = []
  let bytes = SEND_BYTES_MAX
  for (const record of records) {
    const own = (record.key?.length ?? 0) + (record.value?.length ?? 0)
    if (bytes + own > SEND_BYTES_MAX) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(record)
    bytes += own
  }
  return chunks
}
