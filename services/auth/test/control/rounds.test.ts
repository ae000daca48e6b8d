import { expect, test } from '@jest/globals'
import { createLog, pollUntil } from '@weir/kit'
import { startRounds } from '../../src/control/rounds.ts'

const log = createLog('auth-test', 'silent')
const hourMs = 3_600_000

test('a round comes when its time has come, and at once when it is hurried', async () => {
  let turns = 0
  const rounds = startRounds([{ name: 'a', run: async () => ((turns += 1) < 3 ? 1 : hourMs) }], log)
  await pollUntil(() => turns === 3, { deadlineMs: 5_000, everyMs: 5 })
  rounds.hurry('a')
  await pollUntil(() => turns === 4, { deadlineMs: 5_000, everyMs: 5 })
  await rounds.close()
})

test('a hurry during a round is not lost, and no two rounds of a kind run at once', async () => {
  let running = 0
  let most = 0
  let turns = 0
  const rounds = startRounds(
    [
      {
        name: 'a',
        async run() {
          running += 1
          most = Math.max(most, running)
          await Promise.resolve()
          turns += 1
          if (turns === 1) rounds.hurry('a')
          running -= 1
          return hourMs
        },
      },
    ],
    log,
  )
  await pollUntil(() => turns >= 2, { deadlineMs: 5_000, everyMs: 5 })
  expect(most).toBe(1)
  await rounds.close()
})

test('closing ends the waiting, and no round begins after it', async () => {
  let turns = 0
  const rounds = startRounds([{ name: 'a', run: async () => ((turns += 1), hourMs) }], log)
  await pollUntil(() => turns === 1, { deadlineMs: 5_000, everyMs: 5 })
  await rounds.close()
  rounds.hurry('a')
  await Promise.resolve()
  expect(turns).toBe(1)
})
