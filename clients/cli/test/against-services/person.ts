// `weir person show`: what is stored about a person, and about an unknown person.
import { expect, test } from '@jest/globals'
import { contractFile, eventLine, linesOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function personTests(ground: LookUpGround): void {
  test('shows which events a person has, and where which fields of them are decrypted', async () => {
    const { weir } = ground()
    await weir.ok(`contract create -f ${await contractFile(ground(), 'clickstream', 'seen')}`)
    await weir.ok('stream create seen --save')
    const event = await eventLine('clickstream', (line) => line)
    await weir.ok('send seen --schema seen', { input: `${event}\n${event}\n` })
    const lines = linesOf(await weir.ok('person show session-0001 --stream seen'))
    expect(lines[0]).toMatch(/^STREAM +CONTRACT +FIELD +EVENTS +FIRST +LAST$/)
    expect(lines[1]).toMatch(/^seen +\S+ +producerSessionId +2 +\S+Z +\S+Z$/)
    expect(lines).toContainEqual(expect.stringMatching(/^seen +input stream +2 +0 +- +\S+Z$/))
    expect(lines).toContainEqual(
      expect.stringMatching(/^seen: the events were sent with consent to level \d \(2 events\)/),
    )

    const input = 'session-0001\n'
    const found = await weir.json('person show -f - --stream seen', { input })
    expect(found).toMatchObject({ state: 'done', streams: [{ by: [{ events: 2 }] }] })
  })

  test('says of a value that was never sent that nothing was found, and where it looked', async () => {
    const { weir } = ground()
    const { stdout: shown, stderr } = await weir.run('person show Session-0001 --stream seen')
    expect(stderr).toMatch(/^Searched in events of \S+: \S.*\.$/m)
    expect(shown).toContain('No event was found. Values are compared exactly')
    expect(linesOf(shown)).toContainEqual(expect.stringMatching(/^seen +input stream +0/))
  })

  test.each(['person show', 'person show a -f -', 'person show a --stream wbe'])(
    '`%s` is refused with what to do',
    async (line) => {
      const { code, stderr } = await ground().weir.run(line)
      expect(code).toBe(line.includes('wbe') ? 1 : 2)
      expect(stderr).toMatch(/Give one of them|weir stream list/)
    },
  )
}
