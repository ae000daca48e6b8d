// Saves and restores the topics that can't be created again, weir.control, weir.keys and weir.audit. It uses the
// settings of auth:
//
//   node services/auth/src/backup/main.ts save > weir.backup
//   node services/auth/src/backup/main.ts restore < weir.backup
//
// Saving is possible at any time. Restoring needs the first two topics to be empty or missing, and no running service.
// The backup and the KEK file together can decrypt everything: keep them apart (docs/operations.md, Backup and
// restore).
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createAdmin, createKafka, createRangeReader, kafkaAccess } from '@weir/kafka'
import type { Admin, Kafka } from '@weir/kafka'
import { createLog, loadConfig } from '@weir/kit'
import { configSchema } from '../config.ts'
import type { Config } from '../config.ts'
import { restoreTopics } from './restore.ts'
import { savedLines } from './save.ts'

// stdout is only for the backup
const log = createLog('auth', 'silent')
const say = (line: string): void => void process.stderr.write(`${line}\n`)

process.exit(await run(process.argv[2]))

async function run(verb: string | undefined): Promise<number> {
  if (verb !== 'save' && verb !== 'restore') {
    say('Usage: node services/auth/src/backup/main.ts save|restore')
    return 2
  }
  try {
    const config = loadConfig<Config>(configSchema, process.env)
    const kafka = createKafka({ ...kafkaAccess(config), clientId: 'weir-backup', log })
    const admin = createAdmin(kafka)
    try {
      await (verb === 'save' ? save(kafka, admin) : restore(kafka, admin, config))
      return 0
    } finally {
      await admin.close()
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return 1
  }
}

async function save(kafka: Kafka, admin: Admin): Promise<void> {
  const reader = createRangeReader(kafka)
  try {
    await pipeline(savedLines({ offsets: admin.offsets, reader, say }), process.stdout, {
      end: false,
    })
  } finally {
    await reader.close()
  }
}

async function restore(kafka: Kafka, admin: Admin, config: Config): Promise<void> {
  const topicReplication = config.TOPIC_REPLICATION
  const lines = createInterface({ input: process.stdin })
  await restoreTopics({ kafka, admin, log, topicReplication, say }, lines)
}
