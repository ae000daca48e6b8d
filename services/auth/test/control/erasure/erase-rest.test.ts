// Erasing a data subject with more links than fit into one transaction. Several transactions erase them, from any
// replica, with other changes in between.
import { expect, test } from '@jest/globals'
import { eraAt, linksOf, prefixesOf, termEndMs, termOf } from '@weir/fieldcrypt'
import type { TermKeys } from '@weir/fieldcrypt'
import type { InputStream } from '@weir/control-state'
import { eraseRests } from '../../../src/control/erasure/erase-rest.ts'
import { cleanUp } from '../../../src/control/streams/clean-up.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { eraseClicks, eraseSubject, eraseToEnd, makeClicksOf } from '../support-scene.ts'

const devices = Array.from({ length: 520 }, (_, index) => `device-${index}`)
const pieceBytesMax = 1_000_000
/** The tolerance: one more link, plus its key record. */
const roomBytes = 100_000

type Scene = { memory: Memory; stream: InputStream; terms: number[]; changes: number[] }

/** Prepares a stream with keys in two terms. `changes` has the bytes of key records that each change writes. */
async function scene(): Promise<Scene> {
  const memory = memoryControl()
  // In the last era of a term, the next term has its keys already.
  const term = termOf(eraAt(memory.deps.now()))
  memory.passTime(termEndMs(term) - 1 - memory.deps.now())
  const stream = await makeClicksOf(memory, { a: 0, b: 1 })
  const changes: number[] = []
  const { writer, follower } = memory.deps
  const change = writer.change.bind(writer)
  writer.change = async (what, decide) => {
    const before = new Map(
      [...follower.keyStore.keys()].map((key) => [key, follower.keyStore.get(key)]),
    )
    const answer = await change(what, decide)
    let bytes = 0
    for (const key of follower.keyStore.keys()) {
      const value = follower.keyStore.get(key)
      if (value !== before.get(key)) bytes += value?.length ?? 0
    }
    if (bytes > 0) changes.push(bytes)
    return answer
  }
  return { memory, stream, terms: [term, term + 1], changes }
}

function keysOf({ memory, stream }: Scene, term: number): TermKeys {
  const keys = memory.follower.keyring.termKeys('acme', stream.streamId, term)
  if (keys === undefined) throw new Error('no keys')
  return keys
}

const linksIn = (scene: Scene, term: number, names = devices): Uint8Array[] =>
  names.flatMap((name) => linksOf(keysOf(scene, term), name))

type Links = ReadonlyMap<number, readonly Uint8Array[]>
const linksOfAll = (scene: Scene): Links =>
  new Map(scene.terms.map((term) => [term, linksIn(scene, term)]))

const accept = ({ memory, stream }: Scene, links: Links, deps: Memory['deps'] = memory.deps) =>
  eraseSubject(deps, { stream, subject: 'ada', links })

/** Returns the number of erased links. */
const cutOut = (scene: Scene, links: Links): number =>
  [...links].reduce((sum, [term, inTerm]) => {
    const { tree } = keysOf(scene, term)
    const isGone = (link: Uint8Array) =>
      prefixesOf(link).every((path) => tree.find(path) === 'erased')
    return sum + inTerm.filter(isGone).length
  }, 0)

const erasureNow = ({ memory, stream }: Scene, { erasureId }: { erasureId: string }) =>
  memory.follower.tables.erasure(stream.streamId, erasureId)

test('is accepted with a first piece, and every piece is bounded and tells how far it is', async () => {
  const all = await scene()
  const links = linksOfAll(all)
  const { erasure } = await accept(all, links)
  expect(erasure).toMatchObject({
    pieces: 1,
    rest: { links: 1_040 },
    levels: [0, 1],
    terms: all.terms,
  })
  expect(cutOut(all, links)).toBe(erasure.rest?.done)
  for (;;) {
    const before = erasureNow(all, erasure)?.rest
    if (before === undefined) break
    expect(await eraseRests(all.memory.deps)).toBeLessThan(1_000)
    const after = erasureNow(all, erasure)?.rest
    expect(after?.done ?? 1_040).toBeGreaterThan(before.done)
    expect(cutOut(all, links)).toBe(after?.done ?? 1_040)
  }
  expect(erasureNow(all, erasure)).not.toHaveProperty('rest')
  expect(all.changes.length).toBeGreaterThan(4)
  for (const bytes of all.changes) expect(bytes).toBeLessThan(pieceBytesMax + roomBytes)
  const [other] = linksIn(all, all.terms[0] ?? 0, ['somebody-else'])
  expect(other && keysOf(all, all.terms[0] ?? 0).tree.find(prefixesOf(other)[0] ?? '')).not.toBe(
    'erased',
  )
})

test('is brought to its end by another replica, wherever the first one stopped', async () => {
  for (let stopsAfter = 0; stopsAfter < 3; stopsAfter += 1) {
    const all = await scene()
    const links = linksOfAll(all)
    const { erasure } = await accept(all, links)
    for (let pieces = 0; pieces < stopsAfter; pieces += 1) await eraseRests(all.memory.deps)
    all.memory.passTime(10_000)
    await eraseToEnd(all.memory.replica('two'))
    expect(cutOut(all, links)).toBe(1_040)
    expect(erasureNow(all, erasure)).not.toHaveProperty('rest')
  }
})

test('is the work of one replica at a time, at first of the one that accepted it', async () => {
  const all = await scene()
  await accept(all, linksOfAll(all))
  const other = all.memory.replica('two')
  expect(await eraseRests(other)).toBe(1_000)
  expect(await eraseRests(all.memory.deps)).toBeLessThan(1_000)
  expect(await eraseRests(other)).toBe(1_000)
  all.memory.passTime(10_000)
  expect(await eraseRests(other)).toBeLessThan(1_000)
  expect(await eraseRests(all.memory.deps)).toBe(1_000)
})

test('is left to the replica that works on another one of the same stream', async () => {
  const all = await scene()
  const half = Math.floor(devices.length / 2)
  const linksOf = (names: string[]): Links =>
    new Map(all.terms.map((term) => [term, linksIn(all, term, names)]))
  await accept(all, linksOf(devices.slice(0, half)))
  const other = all.memory.replica('two')
  const { erasure } = await accept(all, linksOf(devices.slice(half)), other)
  expect(await eraseRests(other)).toBe(1_000)
  expect(erasureNow(all, erasure)?.rest).toEqual(erasure.rest)
  await eraseRests(all.memory.deps)
  expect(erasureNow(all, erasure)?.rest?.done).toBeGreaterThan(erasure.rest?.done ?? NaN)
})

test('holds with what others erase in between, and theirs holds, too', async () => {
  const all = await scene()
  const links = linksOfAll(all)
  const others = Array.from({ length: 8 }, (_, index) => `other-${index}`)
  const theirs: Links = new Map(all.terms.map((term) => [term, linksIn(all, term, others)]))
  await accept(all, links)
  await Promise.all([
    eraseToEnd(all.memory.deps),
    ...others.map((value, index) =>
      eraseClicks(all.memory.replica(`replica-${index}`), { values: [value] }),
    ),
  ])
  await eraseToEnd(all.memory.deps)
  expect([cutOut(all, links), cutOut(all, theirs)]).toEqual([1_040, 16])
})

test('takes turns with another erasure that has as much to do', async () => {
  const all = await scene()
  const half = Math.floor(devices.length / 2)
  const both = [devices.slice(0, half), devices.slice(half)].map(
    (names): Links => new Map(all.terms.map((term) => [term, linksIn(all, term, names)])),
  )
  const accepted = []
  for (const links of both) accepted.push(accept(all, links))
  const erasures = (await Promise.all(accepted)).map(({ erasure }) => erasure)
  const doneAt = () => erasures.map((one) => erasureNow(all, one)?.rest?.done ?? 520)
  const before = doneAt()
  await eraseRests(all.memory.deps)
  for (const [index, done] of doneAt().entries()) expect(done).toBeGreaterThan(before[index] ?? 0)
})

test('goes with its stream, and leaves nothing', async () => {
  const all = await scene()
  const { deps, follower } = all.memory
  await accept(all, linksOfAll(all))
  await eraseRests(deps)
  await deleteStream(deps, { billingId: 'acme', name: 'clicks', recursive: false })
  all.memory.passTime(60_000)
  await cleanUp(deps)
  expect(await eraseRests(deps)).toBe(15_000)
  expect([...follower.keyStore.under('_erasure/')]).toEqual([])
})

test('has no more to do in a term whose keys have expired', async () => {
  const all = await scene()
  const { keys, follower, deps } = all.memory
  const { erasure } = await accept(all, linksOfAll(all))
  for (const term of all.terms)
    for (const key of follower.keyStore.under(`acme/${all.stream.streamId}/t${term}/`))
      keys.apply(key, null)
  await eraseToEnd(deps)
  expect(erasureNow(all, erasure)).not.toHaveProperty('rest')
})
