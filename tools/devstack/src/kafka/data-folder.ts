// A broker's new data folder, as Kafka's own tool formats it: an id, and the versions of features that the cluster begins with.
// The latter are the same for every cluster of one Kafka, and the tool takes as long as a broker's start, so they are kept.

import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type NewDataFolder = {
  dataFolder: string
  /** Where the features are kept, or may be put. */
  features: string
  nodeId: number
  /** A new one when left out. */
  clusterId?: string | undefined
  /** The tool: a command, and its arguments before `format`'s own. */
  tool: readonly [java: string, ...args: string[]]
  /** The broker's settings. */
  settings: string
}

/** Does nothing when the folder is formatted already. */
export async function formatDataFolder(options: NewDataFolder): Promise<void> {
  const { dataFolder, features, nodeId, clusterId = randomId() } = options
  const properties = join(dataFolder, 'meta.properties')
  const checkpoint = join(dataFolder, 'bootstrap.checkpoint')
  if (existsSync(properties)) return
  if (existsSync(features)) {
    await copyFile(features, checkpoint)
    const ids = { 'cluster.id': clusterId, 'directory.id': randomId(), 'node.id': nodeId }
    const lines = Object.entries({ version: 1, ...ids }).map(([name, id]) => `${name}=${id}\n`)
    return writeFile(properties, lines.join(''))
  }
  const [java, ...args] = options.tool
  // In one argument: an id that begins with - would be taken for an option.
  await run(java, [...args, 'format', `--cluster-id=${clusterId}`, '-c', options.settings])
  const draft = `${features}.${randomUUID()}`
  await copyFile(checkpoint, draft)
  await rename(draft, features)
}

/** As Kafka writes a UUID; none of its own begins with -. */
function randomId(): string {
  const id = randomBytes(16).toString('base64url')
  return id.startsWith('-') ? randomId() : id
}
