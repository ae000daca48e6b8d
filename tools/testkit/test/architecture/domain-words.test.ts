// What Kafka's client and the kit know nothing of: Weir's domain. The import rules keep its code out; this keeps out
// its words, in comments as well. `derive/` is left out until derivation's half that knows Kafka has a place of its own.
import { readFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const words =
  /\b(consents?|billing\w*|contracts?|pii|persons?|personal|people|erasures?|keyLinks?)\b/i
const headers = /['"`]svc-/

const found = async (pattern: string, unwanted: RegExp): Promise<string[]> => {
  const files = globSync(pattern, { cwd: REPOSITORY }).filter((file) => !file.includes('/derive/'))
  expect(files.length).toBeGreaterThan(20)
  const lines = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(REPOSITORY, file), 'utf8')
      return text.split('\n').flatMap((line) => (unwanted.test(line) ? [`${file}: ${line}`] : []))
    }),
  )
  return lines.flat()
}

test.each(['packages/kafka/src/**/*.ts', 'packages/kit/src/**/*.ts'])(
  'no word of the domain stands in %s',
  async (pattern) => {
    expect(await found(pattern, words)).toEqual([])
  },
)

test('packages/kafka knows no header of ours', async () => {
  expect(await found('packages/kafka/src/**/*.ts', headers)).toEqual([])
})
