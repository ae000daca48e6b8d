// `weir subject show` and `weir subject erase --subject`: a person with events from several devices.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contractFile, eventLine, fileOf, linesOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function dataSubjectTests(ground: LookUpGround): void {
  test('says that no contract names a data subject, though the stream may hold events of it', async () => {
    const { weir } = ground()
    await weir.ok('stream create unnamed')
    for (const line of ['show unnamed', 'erase unnamed -y', 'withdraw unnamed -y --level 1']) {
      const refused = await weir.run(`subject ${line} --subject customer-00042`)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toContain('No contract of the account has a data_subject_field')
      expect(refused.stderr).toContain('(409)')
      expect(refused.stderr).not.toMatch(/nothing is kept/i)
    }
  })

  test('shows how much is kept of a data subject, and forgets all of it', async () => {
    const { weir } = ground()
    const file = await contractFile(ground(), 'clickstream', 'owned')
    const text = readFileSync(file, 'utf8').replace('{', '{"data_subject_field":"customer/id",')
    await weir.ok(`contract create -f ${fileOf(weir, 'owned.json', text)}`)
    await weir.ok('stream create owned --save')
    const devices = ['phone', 'tablet'].map((device) =>
      eventLine('clickstream', (line) => line.replace('session-0001', device)),
    )
    const input = `${(await Promise.all(devices)).join('\n')}\n`
    await weir.ok('send owned --schema owned', { input })

    const [head, row] = linesOf(await weir.ok('subject show owned --subject customer-00042'))
    expect(head).toMatch(/^TERM +FROM +UNTIL +PSEUDONYMS$/)
    expect(row).toMatch(/^\d+ +\S+Z +\S+Z +2$/)

    await exportsOf(ground())
    const mistyped = await weir.run('subject withdraw owned phone --level 11 -y')
    expect([mistyped.code, mistyped.stderr]).toEqual([
      0,
      expect.stringContaining(
        'None of the events that were found was sent with consent to level 11.',
      ),
    ])
    const twice = await weir.run('subject withdraw owned phone --level 11 -y')
    expect(twice.stderr).toContain('warning: Level 11 had been withdrawn before')
    const erased = await weir.json('subject erase owned customer-00042 --subject -y')
    expect(erased).toMatchObject({ values: 1, links: 2 })
    const after = await weir.run('subject show owned --subject customer-00042')
    expect([after.code, after.stdout]).toEqual([0, ''])
    expect(after.stderr).toContain('No event that can still be decrypted names this data subject')
    expect(after.stderr).toMatch(/^Searched: events of .*owned \(customer\/id\)/m)
    expect(after.stderr).not.toMatch(/nothing is kept/i)
    const again = await weir.run('subject erase owned --subject customer-00042 -y')
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('No event of the stream owned or of its outputs has this value in'),
    ])
    expect(again.stderr).not.toContain('customer-00042')
    expect(again.stderr).toContain('were not searched, because these contracts have no such field')
    const device = await weir.run('subject erase owned phone -y')
    expect([device.code, device.stderr]).toEqual([
      0,
      expect.stringContaining('warning: All events that were found had been erased before'),
    ])
  })

  test.each([
    ['subject export owned phone', 'a file is wanted'],
    ['subject export owned -o x.csv', 'a value is wanted'],
    ['subject export owned phone --from soon -o x.csv', 'It must be a day such as'],
    ['subject show owned --subject x -o x.csv', "can't print x.csv"],
  ])('`%s` says what is wrong, and asks nothing', async (line, says) => {
    const { code, stderr } = await ground().weir.run(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })

  test('a data subject and a value of the key field at once are too much', async () => {
    const { code } = await ground().weir.run('subject erase owned session-0001 --subject x -y')
    expect(code).toBe(2)
  })
}

async function exportsOf({ weir }: ReturnType<LookUpGround>): Promise<void> {
  const byKey = await weir.ok('subject export owned phone -o -')
  expect(linesOf(byKey).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      contract: expect.stringMatching(/owned$/),
      event: expect.objectContaining({ producerSessionId: 'phone' }),
    }),
  ])
  const file = fileOf(weir, 'person.csv', 'from before')
  const told = await weir.run(`subject export owned customer-00042 --subject -o ${file}`)
  expect([told.code, told.stdout]).toEqual([0, ''])
  expect(told.stderr).not.toContain('customer-00042')
  const csv = readFileSync(file, 'utf8')
  expect(csv).toMatch(/^\uFEFFevent,time,contract,field,value,note,purpose,person\r\n/)
  expect(csv.match(/,customer\/id,customer-00042,/g)).toHaveLength(2)
  await weir.ok(`subject export owned customer-00042 --subject --without other,linked -o ${file}`)
  expect((await weir.run(`subject export owned phone --without Bob -o ${file}`)).stderr).toContain(
    'without must be one or more of other, linked, encrypted',
  )
  const before = readFileSync(file, 'utf8')
  for (const line of ['Phone', 'phone --until 2001-01-01']) {
    const nobody = await weir.run(`subject export owned ${line} -o ${file}`)
    expect([nobody.code, nobody.stdout, readFileSync(file, 'utf8')]).toEqual([1, '', before])
    expect(nobody.stderr).toContain('no event was found, or the person is erased')
    expect(nobody.stderr).toContain('A value of a data_subject_field needs --subject.')
  }
}
