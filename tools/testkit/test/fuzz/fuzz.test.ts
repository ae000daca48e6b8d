// Runs each fuzz target, one after the other, for a limited number of runs with a fixed seed. A crash, a hang or an
// exception without an error code fails the test, and its input is written to tools/testkit/fuzz/. `npm run fuzz` can
// run for hours.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { fuzz } from '../../src/fuzz/fuzz.ts'
import { scale } from '../../src/scale.ts'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../src/fuzz/main.ts')
const corpora = join(import.meta.dirname, '../../fuzz')
const targets = readdirSync(corpora, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The outcome of the process that runs all targets. */
let ended: unknown
beforeAll(async () => {
  const args = [main, '--runs', scale('2000', '200'), '--seed', '1']
  const env = { ...process.env, NODE_OPTIONS: '' }
  ended = await run(process.execPath, args, { env }).catch((error: unknown) => error)
}, 600_000)

test.each(targets)('whatever octets it gets, the reader of %s reads or refuses them', (target) => {
  const ranSome = new RegExp(`^${target}: \\d{3,4} runs, [^0]`, 'm')
  expect(ended).toMatchObject({ stdout: expect.stringMatching(ranSome) })
  expect(ended).not.toBeInstanceOf(Error)
})

test('what is wrong three steps deep is found, and again with the same seed', async () => {
  const secret = Buffer.from('wei')
  const find = async (seed: number) => {
    const ran = new Set<number>()
    const known = new Set<number>()
    /** Like V8, reports each run only once. */
    const taken = (): number[] => {
      const fresh = [...ran].filter((depth) => !known.has(depth))
      ran.clear()
      return fresh
    }
    const { finding } = await fuzz({
      target: {
        name: 'secret',
        words: [],
        run(octets) {
          let right = 0
          while (right < secret.length && octets[right] === secret[right]) right += 1
          ran.add(right)
          if (right === secret.length) throw new TypeError('read beyond the end')
        },
      },
      coverage: {
        hasNew: () => taken().length > 0,
        takeNew() {
          const fresh = taken()
          for (const depth of fresh) known.add(depth)
          return fresh.length
        },
      },
      corpus: [],
      seed,
      watch: () => {},
      mayGoOn: (runs) => runs < 200_000,
    })
    return finding
  }
  const finding = await find(7)
  expect(finding?.octets.subarray(0, 3)).toEqual(secret)
  expect(finding?.what).toMatch(/TypeError: read beyond the end/)
  expect((await find(7))?.octets).toEqual(finding?.octets)
})

test('a refusal is no finding, and what takes too long is one', async () => {
  const { finding } = await fuzz({
    target: {
      name: 'slow',
      words: [],
      run(octets) {
        const start = process.threadCpuUsage()
        while (octets.length > 0 && process.threadCpuUsage(start).user < 600_000);
      },
    },
    coverage: { hasNew: () => false, takeNew: () => 0 },
    corpus: [Buffer.from('x')],
    seed: 1,
    watch: () => {},
    mayGoOn: () => false,
  })
  expect(finding?.what).toMatch(/^took \d{3,} ms$/)
})
