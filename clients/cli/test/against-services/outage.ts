// The messages when a service is unreachable. These tests end the services, so they come last.
import { expect, test } from '@jest/globals'
import { eventLine } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function outageTests(ground: LookUpGround): void {
  test('a service that goes is told, and one that is gone by its address, with what to do', async () => {
    const { weir, world } = ground()
    const input = await eventLine('clickstream')
    await weir.ok('stream create last --save')
    const listener = weir.start('listen last')
    await listener.says('Listening to last')

    await Promise.all([world.output.stop(), world.ingest.stop()])
    const { code, stderr } = await listener.ended
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^weir: the service restarts \(1012\)$/m),
    ])
    const [deaf, unsent] = await Promise.all([
      weir.run('listen last'),
      weir.run('send last --schema clickstream', { input }),
    ])
    await world.auth.stop()
    const unmanaged = await weir.run('stream list')

    for (const [ended, said] of [
      [deaf, `nothing listens at ${world.output.url.replace('http', 'ws')} (ECONNREFUSED)`],
      [unsent, `stopped at line 1: nothing listens at ${world.ingest.url} (ECONNREFUSED)`],
      [unmanaged, `nothing listens at ${world.auth.url} (ECONNREFUSED)`],
    ] as const) {
      expect(ended.code).toBe(1)
      expect(ended.stderr).toContain(
        `weir: ${said}\n` +
          '  Is it running? `npm start` in the repository starts Weir on this machine.\n' +
          '  For other addresses set WEIR_AUTH_URL, WEIR_INGEST_URL, WEIR_OUTPUT_URL, or use `weir account login`.\n',
      )
    }
  })
}
