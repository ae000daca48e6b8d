// `weir usage`: the usage of a stream, for its owner.
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { eventLine } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function usageTests(ground: LookUpGround): void {
  test('counts what was sent and what was refused, as a table, as JSON and as lines of CSV', async () => {
    const { weir } = ground()
    await weir.ok('stream create counted --save')
    const good = await eventLine('clickstream')
    const wrong = await eventLine('clickstream', (text) => text.replace('https://shop', 'shop'))
    await weir.ok('send counted --schema clickstream', { input: `${good}\n`.repeat(3) })
    await weir.run('send counted --schema clickstream', { input: wrong })
    const bytes = String(3 * Buffer.byteLength(good))

    const counted = /In total 3 events, \d+ bytes, 1 refused \(validation_failed 1\)\./
    const table = await pollUntil(
      async () => {
        const ended = await weir.run('usage counted --by 1d')
        return counted.test(ended.stderr) ? ended : undefined
      },
      { deadlineMs: 60_000, everyMs: 200, what: 'the usage' },
    )
    expect(table.stdout).toMatch(/^FROM +EVENTS +BYTES +REFUSED\n/)
    expect(table.stderr).toContain(`${bytes} bytes`)

    const csv = await weir.ok('usage counted --by 1d -o csv')
    const [head, ...rows] = csv.trimEnd().split('\n')
    expect(head).toBe('from,events,bytes,refused')
    expect(rows.at(-1)).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\dT00:00:00.000Z,3,${bytes},1$`))
    const asJson: unknown = JSON.parse(await weir.ok('usage counted --by 1d -o json'))
    expect(asJson).toMatchObject({
      stream: 'counted',
      total: { events: 3, bytes: Number(bytes), refused: { validation_failed: 1 } },
    })
  })

  test('of a stream that is not there says so', async () => {
    const { code, stderr } = await ground().weir.run('usage nowhere')
    expect(code).toBe(1)
    expect(stderr).toContain('nowhere')
  })
}
