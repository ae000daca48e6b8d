import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from '@jest/globals'

import { formatDataFolder } from '../../src/kafka/data-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-format-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A script in place of Kafka's tool: it writes its arguments to the features' file. */
const format = (clusterId: string, script = 'echo "$@" > "$0"') =>
  formatDataFolder({
    dataFolder: folder,
    features: join(folder, 'kept'),
    nodeId: 2,
    clusterId,
    tool: ['/bin/sh', '-c', script, join(folder, 'bootstrap.checkpoint')],
    settings: 'server.properties',
  })
const textOf = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')

test('the first folder is formatted by the tool, and what all clusters begin with is kept', async () => {
  await format('-id')
  const given = 'format --cluster-id=-id -c server.properties\n'
  expect([await textOf('bootstrap.checkpoint'), await textOf('kept')]).toEqual([given, given])
})

test('the next one has ids of its own, and needs no tool', async () => {
  await writeFile(join(folder, 'kept'), 'features')
  await format('another', 'exit 1')
  expect(await textOf('bootstrap.checkpoint')).toBe('features')
  expect(await textOf('meta.properties')).toMatch(
    /^version=1\ncluster\.id=another\ndirectory\.id=\w[\w-]{21}\nnode\.id=2\n$/,
  )
})

test('a folder that is formatted is left alone', async () => {
  await writeFile(join(folder, 'meta.properties'), 'mine')
  await format('another', 'exit 1')
  expect(await textOf('meta.properties')).toBe('mine')
})
