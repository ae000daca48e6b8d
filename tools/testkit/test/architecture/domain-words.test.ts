// The Kafka client and the kit are independent of Weir's domain. The import rules forbid imports of domain code. This
// test forbids domain words, also in names and comments.
import { readFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const words =
  /\b(consents?|billing\w*|contracts?|pii|persons?|personal|people|erasures?|keyLinks?)\b/i
/** Words for the purposes of topics, and names of Weir's headers. */
const uses = /svc-|dead[- _]?letter|deriv(e|ing|ation)|\bstream/i

const found = async (pattern: string, unwanted: RegExp): Promise<string[]> => {
  const files = globSync(pattern, { cwd: REPOSITORY })
  const lines = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(REPOSITORY, file), 'utf8')
      return text.split('\n').flatMap((line) => (unwanted.test(line) ? [`${file}: ${line}`] : []))
    }),
  )
  return lines.flat()
}

test.each([
  ['packages/kafka/src', words],
  ['packages/kafka/src', uses],
  ['packages/kit/src', words],
])('no word of the domain stands in %s: %s', async (folder, unwanted) => {
  expect(await found(`${folder}/**/*.ts`, unwanted)).toEqual([])
})

test.each([
  ['packages/kafka/src', /\bbrokers?\b/],
  ['packages/kit/src', /\bconfig\b/],
  ['services/output/src', words],
  ['services/output/src/dead-letters', uses],
])('where words stand they are found: in %s, %s', async (folder, wanted) => {
  expect((await found(`${folder}/**/*.ts`, wanted)).length).toBeGreaterThan(20)
})

test.each([
  "const source = 'svc-source'",
  'createDeadLetterTopics(kafka)',
  '// the dead letter topic',
  'import { x } from "../derive/x.ts"',
  'type Derived = 1',
  'deriveOne()',
  '// derivation',
  '// a stream of an account',
  'streamId: string',
])('%s would be found', (line) => expect(uses.test(line)).toBe(true))
