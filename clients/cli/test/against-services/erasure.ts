// `weir subject erase` and `weir erasure`: one person, many people from a file, and the message when the command stops
// half-way.
import { expect, test } from '@jest/globals'
import { fileOf, linesOf, memberOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

const lines = (count: number): string[] => Array.from({ length: count }, (_, at) => `person-${at}`)

export function erasureTests(ground: LookUpGround): void {
  test('forgets one person, and shows what has become of it', async () => {
    const { weir } = ground()
    await weir.ok('stream create forgetful')
    const line = 'subject erase forgetful session-0001 --reference TICKET-7'
    const unknown = await weir.run(line)
    expect([unknown.code, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toContain('Check the spelling')
    expect(unknown.stderr).toContain('`--even-if-none-found` sends the request all the same')
    expect(unknown.stderr).not.toContain('evenIfNoneFound')
    expect(await weir.json('erasure list forgetful')).toEqual([])
    const { code, stdout, stderr } = await weir.run(`${line} --even-if-none-found`)
    expect([code, memberOf(stdout, 'state')]).toEqual([0, 'accepted'])
    expect(memberOf(stdout, 'reference')).toBe('TICKET-7')
    expect(stdout).toMatch(/^applied +(expected by )?\d{4}-/m)
    expect(stdout).toMatch(/^complete +expected by \d{4}-/m)
    expect(stderr).toContain('The salt is not shown again')
    expect(memberOf(stdout, 'found')).toBe('0 events')
    expect(stdout + stderr).not.toContain('session-0001')
    const id = memberOf(stdout, 'id')
    expect(memberOf(await weir.ok(`erasure show ${id}`), 'values')).toBe('1')
    for (const list of ['erasure list', 'erasure list forgetful'])
      expect(await weir.ok(list)).toMatch(new RegExp(`^${id} +forgetful +\\w+ +1 +all`, 'm'))
    const changed = await weir.run(`erasure update ${id} --due 2001-12-24`)
    expect([changed.code, memberOf(changed.stdout, 'due')]).toEqual([0, '2001-12-24'])
    expect(changed.stderr).toContain('the due date 2001-12-24 is already past (in UTC)')
    expect(memberOf(await weir.ok(`erasure show ${id}`), 'due')).toBe('2001-12-24')
    const removed = await weir.ok(`erasure update ${id} --due none`)
    expect(removed).not.toMatch(/^due /m)
    const named = await weir.ok(`erasure update ${id} --reference TICKET-9`)
    expect(memberOf(named, 'reference')).toBe('TICKET-9')
    expect(await weir.ok(`erasure update ${id} --reference none`)).not.toMatch(/^reference /m)
    expect((await weir.run(`erasure update ${id}`)).code).toBe(2)
    const early = await weir.run(`erasure receipt ${id}`)
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('(409)')])
    expect(await weir.ok('erasure receipts kept forgetful')).toMatch(
      /^\S+ +forgetful +not complete/m,
    )
    const nobody = await weir.run('erasure show 00000000-0000-4000-8000-000000000000')
    expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('no stream has an')])
    const audit = linesOf(await weir.ok('audit'))
    expect(audit.filter((line) => /read.refused.*:erasure(?!\/)/.test(line))).toEqual([])
  })

  test('names the outputs that hold decrypted values, and until when', async () => {
    const { weir } = ground()
    await weir.ok('stream create held')
    await weir.ok('output create held held-1 --level 1')
    const shown = await weir.ok('subject erase held session-0001 -y --even-if-none-found')
    expect(shown).toContain(
      'Outputs may still contain values that were decrypted before the erasure was applied.',
    )
    expect(shown).toMatch(/^held-1 +0, 1 +0 +- +\d{4}-\S+Z/m)
    const withdrawing = 'subject withdraw held session-0001 --level 1 -y'
    const withdrawn = await weir.ok(`${withdrawing} --even-if-none-found`)
    expect(withdrawn).toContain('decrypted before the withdrawal was applied')
    expect(withdrawn).toMatch(/^held-1 +1 +0 +- +\d{4}-\S+Z/m)
    expect(await weir.ok(`erasure show ${memberOf(withdrawn, 'id')}`)).toMatch(
      /^held-1 +1 +0 +- +/m,
    )
  })

  test('takes many from standard input, a hundred at a time, with a level', async () => {
    const { weir } = ground()
    await weir.ok('stream create leavers')
    const input = `${lines(250).join('\r\n')}\r\n`
    const line = 'subject withdraw leavers -f - --level 1 --level 2'
    const table = await weir.ok(`${line} --even-if-none-found`, { input })
    expect(linesOf(table).map((line) => line.split(/ +/).slice(1, 3))).toEqual([
      ['LINES', 'VALUES'],
      ['1-100', '100'],
      ['101-200', '100'],
      ['201-250', '50'],
    ])
    const answers = await weir.json('erasure list leavers')
    expect(answers).toHaveLength(3)
    expect(answers).toContainEqual(expect.objectContaining({ values: 50, levels: [1, 2] }))
  })

  test('names a bad line 501 before anything is erased', async () => {
    const { weir } = ground()
    await weir.ok('stream create untouched')
    const bad = [...lines(500), '', 'one more'].join('\n')
    const file = fileOf(weir, 'values.txt', bad)
    const { code, stdout, stderr } = await weir.run(`subject erase untouched -f ${file}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('weir: line 501 is empty')
    expect(stderr).toContain('Nothing was erased.')
    expect(await weir.json('erasure list untouched')).toEqual([])
    const nobody = fileOf(weir, 'nobody.txt', 'nobody\nnobody else\n')
    const none = await weir.run(`subject erase untouched -f ${nobody}`)
    expect(none.stderr).toContain('has the value of lines 1, 2 in ')
    expect(none.stderr).toContain(
      'Nothing was erased.\n  Lines 1 to 2 failed. Correct or omit lines 1, 2, then run it again with lines 1 to 2.',
    )
  })

  test('refuses what makes no sense, and streams that are not there', async () => {
    const { weir } = ground()
    const said = async (line: string) => {
      const { code, stderr } = await weir.run(line)
      return `${code} ${stderr}`
    }
    expect(await said('subject erase nobody session-0001')).toContain('1 weir: There is no stream')
    expect(await said('subject erase nobody')).toContain(
      '2 weir: no value is given\n  nobody is taken as the input stream. Give a value after it, or a file with -f.',
    )
    expect(await said('subject erase nobody x -f y')).toContain('2 weir: a value and a file')
    expect(await said('subject withdraw nobody x')).toContain('2 weir: required option')
    expect(await said('subject withdraw nobody x --level 256')).toContain(
      'A consent level is a number from 0 to 255',
    )
    expect(await said('subject erase nobody -f no-such-file')).toMatch(/^[12] weir: /)
  })
}
