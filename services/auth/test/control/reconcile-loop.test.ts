import { expect, test } from '@jest/globals'
import { createLog, pollUntil } from '@weir/kit'
import { startReconcileLoops } from '../../src/control/reconcile-loop.ts'

const log = createLog('auth-test', 'silent')
const hourMs = 3_600_000

test('a pass comes when its time has come, and at once when it is triggered', async () => {
  let passes = 0
  const loops = startReconcileLoops(
    [{ name: 'a', run: async () => ((passes += 1) < 3 ? 1 : hourMs) }],
    log,
  )
  await pollUntil(() => passes === 3, { deadlineMs: 60_000, everyMs: 5 })
  loops.trigger('a')
  await pollUntil(() => passes === 4, { deadlineMs: 60_000, everyMs: 5 })
  await loops.close()
})

test('a trigger during a pass is not lost, and no two passes of a loop run at once', async () => {
  let running = 0
  let most = 0
  let passes = 0
  const loops = startReconcileLoops(
    [
      {
        name: 'a',
        async run() {
          running += 1
          most = Math.max(most, running)
          await Promise.resolve()
          passes += 1
          if (passes === 1) loops.trigger('a')
          running -= 1
          return hourMs
        },
      },
    ],
    log,
  )
  await pollUntil(() => passes >= 2, { deadlineMs: 60_000, everyMs: 5 })
  expect(most).toBe(1)
  await loops.close()
})

test('closing ends the waiting, and no pass begins after it', async () => {
  let passes = 0
  const loops = startReconcileLoops([{ name: 'a', run: async () => ((passes += 1), hourMs) }], log)
  await pollUntil(() => passes === 1, { deadlineMs: 60_000, everyMs: 5 })
  await loops.close()
  loops.trigger('a')
  await Promise.resolve()
  expect(passes).toBe(1)
})
