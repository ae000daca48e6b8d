// Our AES-SIV and that of Node 26 give the same bytes, for random keys, field paths and texts.
import { execFileSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { siv } from '../src/primitives/primitives.ts'
import { sealBytes } from './support/siv.ts'
import { hex } from './support/vectors.ts'

const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
const node26 = join(
  import.meta.dirname,
  `../../../.weir/node-26/node_modules/node-linux-${arch}/bin/node`,
)
const script = join(import.meta.dirname, 'node-siv.mjs')
const casesCount = 20_000

type Case = { readonly key: string; readonly ad: string; readonly plain: string }

const random = (bytesMax: number): string => randomBytes(randomInt(bytesMax + 1)).toString('hex')

const randomCase = (): Case => ({
  key: randomBytes(64).toString('hex'),
  ad: randomBytes(1).toString('hex') + random(70),
  plain: random(randomInt(20) === 0 ? 5_000 : 80),
})

const ours = ({ key, ad, plain }: Case): string =>
  sealBytes(siv, hex(key), hex(ad), hex(plain)).toString('hex')

function theirs(cases: readonly Case[]): unknown[] {
  const input = JSON.stringify(cases)
  const options = { input, encoding: 'utf8', maxBuffer: 2 ** 30 } as const
  const sealed: unknown = JSON.parse(execFileSync(node26, [script], options))
  return Array.isArray(sealed) ? sealed : []
}

test('20,000 random texts are equal byte for byte', () => {
  const cases = Array.from({ length: casesCount }, randomCase)
  const others = theirs(cases)
  expect(others).toHaveLength(casesCount)
  const different = cases.filter((one, nth) => ours(one) !== others[nth])
  expect(different).toEqual([])
})
