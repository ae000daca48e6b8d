// Runs the commands for analysts in the README, docs/analysts.md and docs/export.md unchanged: kcat, Confluent's Python
// client, Kafka's console consumer, Kafka Connect, DuckDB and pandas.
import { join } from 'node:path'

import { beforeAll, expect, test } from '@jest/globals'
import { freePort, makeKafkaTools } from '@weir/devstack'

import { readDocument } from '../../../src/documents.ts'
import { blocksOf, comparable } from '../../../src/walk/walk.ts'
import type { WalkShell } from '../../../src/walk/walk.ts'
import { BLOCK_MS } from '../../../src/walk/demo-clone.ts'
import type { DemoClone } from '../../../src/walk/demo-clone.ts'

export function analystTests(clone: () => DemoClone): void {
  let shell: WalkShell
  let connectAddress: string

  beforeAll(async () => {
    const tools = join(clone().folder, 'kafka', 'bin')
    await makeKafkaTools(tools)
    shell = clone().openShell({ path: tools })
    connectAddress = `127.0.0.1:${await freePort()}`
  }, 300_000)

  /** Compares only the lines of the document, because clients may print more, for example deprecation warnings. */
  async function walk(document: string, heading: string): Promise<void> {
    const blocks = blocksOf(await readDocument(document), heading)
    expect(blocks.length).toBeGreaterThan(0)
    for (const { commands, output = '' } of blocks) {
      const shown = comparable(output)
      const has = (printed: string) => shown.every((line) => comparable(printed).includes(line))
      const printed = await shell.run(asHere(commands), has)
      const lines = comparable(printed)
      const missing = shown.filter((line) => !lines.includes(line))
      expect({ commands, lines, missing }).toEqual({ commands, lines, missing: [] })
    }
  }

  const asHere = (commands: string): string =>
    clone().asHere(commands).replaceAll('127.0.0.1:8183', connectAddress)

  test(
    "kcat and Confluent's Python client read what the README shows, with the credentials of the demo",
    () => walk('README.md', '## Read with your own Kafka client'),
    4 * BLOCK_MS,
  )

  test(
    "a consumer with Confluent's Python client reads as docs/analysts.md says",
    () => walk('docs/analysts.md', '## Subscribe'),
    BLOCK_MS,
  )

  test(
    'auth shows the schemas of the account, as docs/analysts.md says',
    () => walk('docs/analysts.md', '## Schemas'),
    BLOCK_MS,
  )

  test(
    "Kafka's own console consumer reads as docs/analysts.md says",
    () => walk('docs/analysts.md', '## Java'),
    2 * BLOCK_MS,
  )

  test(
    'a sink of Kafka Connect reads as docs/analysts.md says',
    () => walk('docs/analysts.md', '## Kafka Connect'),
    2 * BLOCK_MS,
  )

  test(
    'an export is read by DuckDB and pandas as docs/export.md says',
    () => walk('docs/export.md', '## Parquet, DuckDB and pandas'),
    2 * BLOCK_MS,
  )

  test(
    'an export is lines of JSON, or CSV, as docs/export.md says',
    () => walk('docs/export.md', '## JSONL and CSV'),
    2 * BLOCK_MS,
  )
}
