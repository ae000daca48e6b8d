// The limit on erased values. Because invented values are refused at the limit, their cost is limited, too.
import { expect, test } from '@jest/globals'
import { eraAt, linksOf, termOf } from '@weir/fieldcrypt'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { requireInput } from '@weir/control-state'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { eraseClicks, eraseSubject, makeClicks } from '../support-scene.ts'

const erasuresMax = 300
/** The size of one tree branch in one term, with some of the nodes that it shares with others. */
const valueBytesMax = 4_500

async function scene(): Promise<{ memory: Memory; deps: Memory['deps'] }> {
  const memory = memoryControl()
  await makeClicks(memory)
  return { memory, deps: { ...memory.deps, erasuresMax } }
}

const eraseMany = (deps: Memory['deps'], from: number, count: number) =>
  eraseClicks(deps, {
    values: Array.from({ length: count }, (_, index) => `made-up-${from + index}`),
  })

function keyBytes({ follower }: Memory): number {
  let bytes = 0
  for (const key of follower.keyStore.keys()) bytes += follower.keyStore.get(key)?.length ?? 0
  return bytes
}

test('made-up values stop at the bound with a sentence that names it, and the keys stay bounded', async () => {
  const { memory, deps } = await scene()
  for (let from = 0; from < erasuresMax; from += 100) await eraseMany(deps, from, 100)
  const atBound = keyBytes(memory)
  expect(atBound).toBeLessThan(erasuresMax * valueBytesMax)
  for (const count of [1, 100])
    await expect(eraseMany(deps, 1_000, count)).rejects.toMatchObject({
      code: 'erasures_exceeded',
      message: expect.stringMatching(/has 300 erased values and may have 300 \(ERASURES_MAX\)/),
    })
  expect(keyBytes(memory)).toBe(atBound)
  expect(memory.follower.tables.erasedValues().get('acme')).toBe(erasuresMax)
})

test('a hundred that are one too many are refused as a whole, and fewer that fit are taken', async () => {
  const { memory, deps } = await scene()
  for (const from of [0, 100]) await eraseMany(deps, from, 100)
  await eraseMany(deps, 200, 50)
  await expect(eraseMany(deps, 250, 51)).rejects.toMatchObject({ code: 'erasures_exceeded' })
  await eraseMany(deps, 250, 50)
  expect(memory.follower.tables.erasedValues().get('acme')).toBe(erasuresMax)
})

test('the same value again counts again, since it costs again', async () => {
  const { deps } = await scene()
  const request = { values: ['bob'] }
  for (let times = 0; times < 3; times += 1) await eraseClicks({ ...deps, erasuresMax: 3 }, request)
  const fourth = eraseClicks({ ...deps, erasuresMax: 3 }, request)
  await expect(fourth).rejects.toMatchObject({ code: 'erasures_exceeded' })
})

test('a data subject is erased beyond the bound, counts its pseudonyms, and changes nothing twice', async () => {
  const { memory, deps } = await scene()
  const stream = requireInput(memory.follower.tables, 'acme', 'clicks')
  await eraseMany(deps, 0, 100)
  const full = { ...deps, erasuresMax: 100 }
  const term = termOf(eraAt(deps.now()))
  const keys = memory.follower.keyring.termKeys('acme', stream.streamId, term)
  if (keys === undefined) throw new Error('no keys')
  const links = new Map([[term, ['phone', 'tablet'].flatMap((device) => linksOf(keys, device))]])
  const request = { stream, subject: 'customer-00042', links }
  await eraseSubject(full, request)
  expect(memory.follower.tables.erasedValues().get('acme')).toBe(102)
  const before = keyBytes(memory)
  await expect(eraseSubject(full, request)).rejects.toMatchObject({ code: 'none_found' })
  expect([keyBytes(memory), memory.follower.tables.erasedValues().get('acme')]).toEqual([
    before,
    102,
  ])
})

test.each([
  ['ACCOUNT_KEY_BYTES_MAX', { account: 100_000, all: 1e9 }],
  ['KEY_BYTES_MAX', { account: 1e9, all: 100_000 }],
] as const)(
  'what could need more than %s is refused before anything is cut out, of values and of a data subject',
  async (setting, keyBytesMax) => {
    const { memory, deps } = await scene()
    const bounded = { ...deps, keyBytesMax }
    const stream = requireInput(memory.follower.tables, 'acme', 'clicks')
    const term = termOf(eraAt(deps.now()))
    const keys = memory.follower.keyring.termKeys('acme', stream.streamId, term)
    if (keys === undefined) throw new Error('no keys')
    const names = Array.from({ length: 40 }, (_, index) => `device-${index}`)
    const links = new Map([[term, names.flatMap((name) => linksOf(keys, name))]])
    const before = keyBytes(memory)
    const refused = {
      code: 'erasures_exceeded',
      message: expect.stringMatching(
        new RegExp(
          `may have 1 MB \\(${setting}\\), and this erasure may need 1 MB more. Nothing was erased`,
        ),
      ),
    }
    await expect(eraseMany(bounded, 0, 40)).rejects.toMatchObject(refused)
    const erasing = eraseSubject(bounded, { stream, subject: 'customer-00042', links })
    await expect(erasing).rejects.toMatchObject(refused)
    expect([keyBytes(memory), memory.follower.keyStore.bytes()]).toEqual([before, before])
    await eraseMany(bounded, 0, 5)
    expect(memory.follower.keyStore.bytes()).toBe(keyBytes(memory))
  },
)

test('what was counted goes with the stream', async () => {
  const { memory, deps } = await scene()
  await eraseMany(deps, 0, 100)
  await deleteStream(deps, { billingId: 'acme', name: 'clicks', recursive: true })
  memory.passTime(10_000)
  await cleanUp(deps)
  expect(memory.follower.tables.erasedValues().size).toBe(0)
})
