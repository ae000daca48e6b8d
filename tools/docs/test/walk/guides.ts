// Runs the guides unchanged, in their order. Fails if a command breaks, or its output differs from the guide. Later
// guides use the objects of earlier ones.
import { beforeAll, expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { repositoryFiles } from '@weir/docs/site'
import { comparable, shBlocksOf } from '../../src/walk/walk.ts'
import type { WalkShell } from '../../src/walk/walk.ts'
import { BLOCK_MS } from '../../src/walk/demo-clone.ts'
import type { DemoClone } from '../../src/walk/demo-clone.ts'

const guides = (await repositoryFiles()).filter((file) => /^docs\/guide\/[^/]+\.md$/.test(file))
const withCommands: string[] = []
for (const guide of guides)
  if (shBlocksOf(await readDocument(guide)).length > 0) withCommands.push(guide)

export function guideTests(clone: () => DemoClone): void {
  let shell: WalkShell

  beforeAll(async () => {
    const { auth, ingest } = clone().everything
    // The examples in Python need these addresses. Only the `weir` command knows the demo's addresses.
    shell = clone().openShell({ env: { WEIR_AUTH_URL: auth.url, WEIR_INGEST_URL: ingest.url } })
  }, 300_000)

  test('there are guides with commands', () => {
    expect(withCommands.length).toBeGreaterThan(3)
  })

  test.each(withCommands)(
    'every command of %s prints what its reader is shown',
    async (guide) => {
      for (const { commands, output = '' } of shBlocksOf(await readDocument(guide))) {
        const shown = comparable(output)
        const isAsShown = (text: string) =>
          comparable(clone().asInDocument(text)).join() === shown.join()

        const printed = await shell.run(clone().asHere(commands), isAsShown)

        const seen = { commands, printed: comparable(clone().asInDocument(printed)) }
        expect(seen).toEqual({ commands, printed: shown })
      }
    },
    10 * BLOCK_MS,
  )
}
