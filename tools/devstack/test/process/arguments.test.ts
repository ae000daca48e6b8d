// The developers' commands explain wrong arguments.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

test.each([
  ['bench', 'tools/bench/src/main.ts'],
  ['torture', 'tools/torture/src/main.ts'],
  ['fuzz', 'tools/testkit/src/fuzz/main.ts'],
])('npm run %s prints the usage for an unknown option', async (name, file) => {
  const ended = run(process.execPath, [join(REPOSITORY, file), '--help'])
  await expect(ended).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^Unknown option '--help'[^\\n]*\\nusage: npm run ${name} -- [^\\n]+\\n$`),
    ),
  })
})
