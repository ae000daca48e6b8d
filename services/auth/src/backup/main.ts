// Saves and restores the topics that can't be created again: weir.control, weir.keys, weir.audit, weir.erasures and
// weir.subjects. It uses the settings of auth. The commands:
//
//   node services/auth/src/backup/main.ts save > weir.backup
//   node services/auth/src/backup/main.ts erasures > weir.erasures
//   node services/auth/src/backup/main.ts restore [--erasures weir.erasures] < weir.backup
//
// Saving is possible at any time. Restoring needs the first two topics to be empty or missing, and no running service.
// The backup and the KEK file together can decrypt everything: keep them apart (docs/operations.md, Backup and
// restore).
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createAdmin, createKafka, createRangeReader, kafkaAccess } from '@weir/kafka'
import type { Admin, Kafka } from '@weir/kafka'
import { AppError, createLog, loadConfig } from '@weir/kit'
import { configSchema } from '../config.ts'
import type { Config } from '../config.ts'
import { restoreTopics } from './restore.ts'
import type { RestoreOptions } from './restore.ts'
import { savedLines, writeAll } from './save.ts'

const usage = `Usage: node services/auth/src/backup/main.ts save > FILE
       node services/auth/src/backup/main.ts erasures > FILE
       node services/auth/src/backup/main.ts restore [--erasures FILE] [--erasures-lost-since TIME|never] < FILE`

// stdout is only for the backup
const log = createLog('auth', 'silent')
const say = (line: string): void => void process.stderr.write(`${line}\n`)

process.exit(await run(process.argv.slice(2)))

type Verb = 'save' | 'erasures' | 'restore'

function isVerb(text: string | undefined): text is Verb {
  return text === 'save' || text === 'erasures' || text === 'restore'
}

async function run(args: readonly string[]): Promise<number> {
  const asked = argumentsIn(args)
  if (asked === undefined) {
    say(usage)
    return 2
  }
  try {
    const options = optionsOf(asked)
    const config = loadConfig<Config>(configSchema, process.env)
    const kafka = createKafka({ ...kafkaAccess(config), clientId: 'weir-backup', log })
    const admin = createAdmin(kafka)
    try {
      if (asked.verb === 'restore') await restore({ kafka, admin, config }, options)
      else await save({ kafka, admin }, asked.verb === 'save' ? 'backup' : 'erasures')
      return 0
    } finally {
      await admin.close()
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return 1
  }
}

type Asked = { readonly verb: Verb; readonly file?: string; readonly lostSince?: string }

/** Returns undefined unless the arguments are as in the usage. */
function argumentsIn(args: readonly string[]): Asked | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { erasures: { type: 'string' }, 'erasures-lost-since': { type: 'string' } },
    })
    const [verb, ...more] = positionals
    const { erasures: file, 'erasures-lost-since': lostSince } = values
    if (!isVerb(verb) || more.length > 0) return undefined
    if (verb !== 'restore' && Object.keys(values).length > 0) return undefined
    return {
      verb,
      ...(file === undefined ? {} : { file }),
      ...(lostSince === undefined ? {} : { lostSince }),
    }
  } catch {
    return undefined
  }
}

function optionsOf({ file, lostSince }: Asked): RestoreOptions {
  return {
    copy: file === undefined ? undefined : linesIn(file),
    lostSince: lostSince === undefined ? undefined : timeIn(lostSince),
  }
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const opened = await open(file)
  yield* opened.readLines()
}

function timeIn(text: string): number | 'never' {
  const ms = Date.parse(text)
  if (text === 'never' || !Number.isNaN(ms)) return text === 'never' ? text : ms
  throw new AppError(
    'backup.time_wrong',
    `--erasures-lost-since: ${text} is not a time, such as 2026-11-26T12:00:00Z, or never.`,
  )
}

async function save(
  { kafka, admin }: { readonly kafka: Kafka; readonly admin: Admin },
  kind: 'backup' | 'erasures',
): Promise<void> {
  const reader = createRangeReader(kafka)
  try {
    const deps = { offsets: admin.offsets, reader, say, now: Date.now }
    await writeAll(savedLines(deps, kind), process.stdout)
  } finally {
    await reader.close()
  }
}

async function restore(
  deps: { readonly kafka: Kafka; readonly admin: Admin; readonly config: Config },
  options: RestoreOptions,
): Promise<void> {
  const { config, ...others } = deps
  const topicReplication = config.TOPIC_REPLICATION
  const lines = createInterface({ input: process.stdin })
  await restoreTopics({ ...others, log, topicReplication, say }, lines, options)
}
