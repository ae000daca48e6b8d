import { expect, test } from '@jest/globals'
import { createLog } from '@weir/kit'
import { createBoot } from '../../src/control/boot.ts'

const log = createLog('auth-test', 'silent')

test('steps run in order, each until it has worked, and what is missing is told', async () => {
  const seen: string[] = []
  let faults = 2
  const boot = createBoot(
    [
      { reason: 'no topics', run: async () => void seen.push('topics') },
      {
        reason: 'no keys',
        async run() {
          seen.push('keys')
          expect(boot.notReady()).toEqual(['no keys'])
          if (faults-- > 0) throw new Error('not yet')
        },
      },
      { reason: 'no access', run: async () => void seen.push('access') },
    ],
    log,
  )
  expect(boot.notReady()).toEqual(['no topics'])
  await boot.run()
  expect(seen).toEqual(['topics', 'keys', 'keys', 'keys', 'access'])
  expect(boot.notReady()).toEqual([])
})

test('one that is stopped ends, and never says that it is ready', async () => {
  const boot = createBoot(
    [
      {
        reason: 'no topics',
        async run() {
          boot.stop()
          throw new Error('not yet')
        },
      },
    ],
    log,
  )
  await boot.run()
  expect(boot.notReady()).toEqual(['no topics'])
})
