// `weir audit`: what was done to the account, and whether the log is complete.
import { expect, test } from '@jest/globals'
import { setting } from '@weir/testkit'
import { linesOf, platformKey } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function auditTests(ground: LookUpGround): void {
  test('shows who did what to the account, as a table and as JSON', async () => {
    const { weir } = ground()
    await weir.ok('stream create audited')
    const lines = linesOf(await weir.ok('audit'))
    expect(lines[0]).toMatch(/^TIME +WHO +ACTION +OUTCOME +TO$/)
    const made = new RegExp(
      '^\\S+Z +key [0-9a-f]{12} first key +stream.create +done +stream audited$',
    )
    expect(lines.filter((line) => made.test(line))).toHaveLength(1)
    expect(await weir.json('audit --from 2020-01-01 --until 2020-01-02')).toEqual([])
  })

  test('shows what a platform key may see when asked for all, and with no key nothing', async () => {
    const { weir, billingId } = ground()
    const all = await weir.ok('audit --all', platformKey())
    expect(all).toMatch(
      new RegExp(
        `the platform +account.create +done +account ${billingId}, keyId \\w+, name first key, role owner`,
      ),
    )
    const { code, stderr } = await weir.run('audit --all', { input: 'no such key\n' })
    expect([code, stderr]).toEqual([1, expect.stringContaining('This needs the platform key')])
  })

  test('verify says that the log is whole, with a line to be kept', async () => {
    const { weir } = ground()
    const env = { WEIR_PLATFORM_KEY: setting('PLATFORM_KEY') }
    const { code, stdout, stderr } = await weir.run('audit verify', { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining('The audit log is intact')])
    expect(stdout).toMatch(/^\d+:[0-9a-f]{64}\n$/)
    const later = await weir.run(`audit verify --head ${stdout.trim()} -o json`, { env })
    expect(JSON.parse(later.stdout)).toMatchObject({ whole: true, faults: [] })
    const wrong = `${stdout.split(':')[0]}:${'0'.repeat(64)}`
    const other = await weir.run(`audit verify --head ${wrong}`, { env })
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('differs from the entry that was noted before'),
    ])
  })
}
