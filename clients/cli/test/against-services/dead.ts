// `weir output preview`, `weir output dead …`, and an output's lag. services/output tests what happens to records that
// can't be derived.
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { eventLine } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function deadTests(ground: LookUpGround): void {
  test('a preview tells what passes and what comes out open, as a table and as JSON', async () => {
    const { weir } = ground()
    await weir.ok('stream create watched --save')
    await weir.ok('send watched --schema clickstream', { input: await eventLine('clickstream') })

    const table = await weir.ok('output preview watched --level 0')
    expect(table).toMatch(/^events +1\npassed +1\nfiltered +0\nfailed +0\n\nCONTRACT +FIELD +LEVEL/)
    expect(table).toMatch(/clickstream +customer\/id +0 +1 +0\n/)
    expect(table).toMatch(/clickstream +producerSessionId +1 +0 +1$/m)
    const json: unknown = JSON.parse(
      await weir.ok('output preview watched --level 1 --type GRANULAR --last 1 -o json'),
    )
    expect(json).toMatchObject({ events: 1, samples: [{ producerSessionId: 'session-0001' }] })
    const denied = await weir.run('output preview watched --level 9')
    expect([denied.code, denied.stderr]).toEqual([
      0,
      'Nobody in the newest events (1) has consented to level 9: the output would contain none of these events.\n',
    ])
    const nowhere = await weir.run('output preview nowhere --level 1')
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('weir stream list')])
    expect((await weir.run('output preview watched --level 1 --level 2')).code).toBe(2)
  })

  test('where everything could be derived there is nothing to list or to retry, and no lag', async () => {
    const { weir } = ground()
    await weir.ok('output create watched watched-0 --level 0 --from earliest')

    const caughtUp = /^lag +0\ndead +0$/m
    const show = async () => caughtUp.test(await weir.ok('output show watched watched-0'))
    await pollUntil(show, { deadlineMs: 60_000, everyMs: 200, what: 'deriving' })
    const list = await weir.run('output dead list watched watched-0')
    expect([list.code, list.stdout]).toEqual([0, ''])
    expect(list.stderr).toContain(
      'watched-0 has no dead-lettered records: every event of watched could be derived.',
    )
    expect(await weir.ok('output dead retry watched watched-0')).toMatch(/^retried +0\npassed +0\n/)
    expect(JSON.parse(await weir.ok('output dead list watched watched-0 -o json'))).toEqual({
      dead: [],
      total: 0,
      limit: 1_000,
    })
    const nobody = await weir.run('output dead retry watched nobody')
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('weir output list')])
  })
}
