// Formats a broker's new data folder, like Kafka's own tool: an id, and the feature versions of a new cluster. The
// feature versions are the same for every cluster of one Kafka version. They are cached, because the tool takes as long
// as a broker's start.

import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type NewDataFolder = {
  dataFolder: string
  /** The path of the cached features. */
  features: string
  nodeId: number
  /** A new one by default. */
  clusterId?: string | undefined
  /** The tool: a command, and its arguments before `format`. */
  tool: readonly [java: string, ...args: string[]]
  /** The file with the broker's settings. */
  settings: string
}

/** Does nothing if the folder is already formatted. */
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
  // In one argument, because a separate id that begins with - would be read as an option.
  await run(java, [...args, 'format', `--cluster-id=${clusterId}`, '-c', options.settings])
  const draft = `${features}.${randomUUID()}`
  await copyFile(checkpoint, draft)
  await rename(draft, features)
}

/** Returns an id in Kafka's UUID format that doesn't begin with -. */
function randomId(): string {
  const id = randomBytes(16).toString('base64url')
  return id.startsWith('-') ? randomId() : id
}
