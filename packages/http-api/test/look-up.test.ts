// Objects that another replica has just created are found. Objects of other accounts are not.
import { expect, test } from '@jest/globals'
import type { StateFollower } from '@weir/control-state'
import { lookUp, lookUpInput, lookUpOutput } from '../src/index.ts'
import type { AccountCall } from '../src/index.ts'

const clicks = { kind: 'input', state: 'ready', name: 'clicks', billingId: 'acme' }
const web = { ...clicks, kind: 'derived', name: 'web', linkedStream: 'clicks' }

/** Creates control state that contains the announced streams only after a refresh. */
function stateOf(known: readonly object[], announced: readonly object[] = []) {
  let streams = known
  let refreshes = 0
  const find = (billingId: string, name: string) =>
    streams.find((stream) =>
      Object.entries({ billingId, name }).every(
        ([key, value]) => stream[key as keyof object] === value,
      ),
    )
  const state = {
    tables: { stream: find },
    refresh: async () => {
      refreshes += 1
      streams = [...known, ...announced]
    },
  }
  // Contains only what a look-up uses.
  return { state: state as unknown as StateFollower, refreshes: () => refreshes }
}

const callFor = (billingId: string, names: Readonly<Record<string, string>>): AccountCall =>
  ({ caller: { billingId }, param: (name: string) => names[name] ?? '' }) as unknown as AccountCall

test('what is there is found without following anything', async () => {
  const { state, refreshes } = stateOf([clicks])
  expect(await lookUpInput(state, callFor('acme', { stream: 'clicks' }))).toBe(clicks)
  expect(refreshes()).toBe(0)
})

test('what was announced a moment ago is found after one look to the end', async () => {
  const { state, refreshes } = stateOf([clicks], [web])
  const call = callFor('acme', { stream: 'clicks', output: 'web' })
  expect(await lookUpOutput(state, call)).toEqual({ input: clicks, stream: web })
  expect(refreshes()).toBe(1)
})

test.each([
  ['another account', 'rival', { stream: 'clicks' }],
  ['no such name', 'acme', { stream: 'klicks' }],
  ['an output where an input is asked for', 'acme', { stream: 'web' }],
])('%s: not found, after one look to the end', async (_, billingId, names) => {
  const { state, refreshes } = stateOf([clicks, web])
  const looking = lookUpInput(state, callFor(billingId, names))
  await expect(looking).rejects.toMatchObject({ code: 'control-state.not_found' })
  expect(refreshes()).toBe(1)
})

test('what the second look throws is what is told', async () => {
  const { state } = stateOf([])
  let looks = 0
  const looking = lookUp(state, () => {
    looks += 1
    throw new Error(`look ${looks}`)
  })
  await expect(looking).rejects.toThrow('look 2')
})
