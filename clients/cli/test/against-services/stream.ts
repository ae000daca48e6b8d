// `weir stream …` and `weir output …`: streams are created with credentials, listed, shown, enabled and disabled,
// deleted.
import { expect, test } from '@jest/globals'
import { createTopicReader } from '@weir/testkit'
import { eventLine, linesOf, memberOf, profileOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function streamTests(ground: LookUpGround): void {
  test('a stream is printed with its credentials, which --save keeps, and listed with its tags', async () => {
    const { weir, billingId } = ground()
    const made = await weir.run('stream create tagged --save --tag web --tag eu --rate 5000')
    expect(made.code).toBe(0)
    expect(memberOf(made.stdout, 'ref.billingId')).toBe(billingId)
    expect(memberOf(made.stdout, 'enabled')).toBe('yes')
    expect(memberOf(made.stdout, 'limits.eventRate')).toBe('5000')
    const clientId = memberOf(made.stdout, 'credentials.clientId')
    const clientSecret = memberOf(made.stdout, 'credentials.clientSecret')
    expect(made.stderr).toBe(`Credentials of tagged saved in ${weir.profile}.\n`)
    expect(profileOf(weir)).toMatchObject({
      accounts: { [billingId]: { streams: { tagged: { clientId, clientSecret } } } },
    })

    const [table, records, details] = await Promise.all([
      weir.ok('stream list'),
      weir.json('stream list'),
      weir.ok('stream show tagged'),
    ])
    expect(linesOf(table)[0]).toMatch(/^NAME +ENABLED +EVENTS\/S +EVENTS\/MONTH +TAGS$/)
    expect(table).toMatch(/^tagged +yes +5000 +1000000000 +web, eu$/m)
    expect(records).toContainEqual(
      expect.objectContaining({ ref: { billingId, name: 'tagged' }, tags: ['web', 'eu'] }),
    )
    expect([memberOf(details, 'tags'), memberOf(details, 'topic')]).toEqual([
      'web, eu',
      `${ground().world.env['KAFKA_PREFIX']}${billingId}.tagged`,
    ])
    expect(`${table}${JSON.stringify(records)}${details}`).not.toContain(clientSecret)
  })

  test('without --save the secret is printed once, and the profile stays as it was', async () => {
    const { weir } = ground()
    const before = profileOf(weir)
    const made = await weir.run('stream create unsaved')
    expect(memberOf(made.stdout, 'credentials.clientSecret')).toMatch(/^[\w-]{43}$/)
    expect(made.stderr).toContain('The clientSecret is not shown again')
    expect(profileOf(weir)).toEqual(before)
  })

  test('taken names, impossible values and unknown streams are refused in words', async () => {
    const { weir, billingId } = ground()
    await weir.ok('stream create refusals')
    const refused = async (line: string): Promise<string> => {
      const { code, stdout, stderr } = await weir.run(line)
      expect([line, code, stdout]).toEqual([line, 1, ''])
      return stderr
    }
    const [taken, bad, unknown, orphan, gone] = await Promise.all([
      refused('stream create refusals'),
      refused('stream create Bad_Name --partitions 500 --rotation-hours 5'),
      refused('stream show nobody'),
      refused('output create nobody orphan --level 1'),
      refused('output delete refusals nobody'),
    ])
    await weir.ok('output create refusals refused --level 1')
    for (const line of ['usage refused', 'output list refused', 'person show a --stream refused'])
      expect(await refused(line)).toBe(
        'weir: refused is an output of refusals. This command needs an input stream\n' +
          '  Give its input stream, refusals.\n',
      )
    expect(taken).toBe(
      'weir: There is a stream named refusals already (409)\n' +
        '  Choose another name. Input streams and outputs share their names.\n',
    )
    expect(linesOf(bad)).toEqual([
      'weir: The input is invalid (422)',
      expect.stringMatching(/^ {2}- name must be 1 to 63 /),
      '  - partitions must be a whole number from 1 to 100',
      expect.stringMatching(/^ {2}- rotationHours must be one of 1, 2, /),
    ])
    for (const [stderr, sentence] of [
      [unknown, 'There is no stream nobody (404)'],
      [orphan, 'There is no stream nobody (404)'],
      [gone, 'There is no stream nobody (404)'],
    ] as const) {
      expect(stderr).toContain(
        `weir: ${sentence}\n  This is about the account ${billingId}, ${weir.profile}.\n  \`weir stream list\` shows`,
      )
    }
  })

  test('how long events are kept is shown, and changed with the limits and tags', async () => {
    const { weir } = ground()
    const made = await weir.ok('stream create aging --tag old --retention-hours 48')
    expect(memberOf(made, 'enabled')).toBe('yes')
    const changed = await weir.ok('stream update aging --rate 7 --retention-hours broker')
    const of = (record: string) =>
      ['retentionHours', 'limits.eventRate'].map((member) => memberOf(record, member))
    expect(of(changed)).toEqual(['broker', '7'])
    expect(memberOf(await weir.ok('stream show aging'), 'tags')).toBe('old')
    await weir.ok('output create aging aged --level 1')
    expect(memberOf(await weir.ok('output show aging aged'), 'retentionHours')).toBe('168')
    const shorter = await weir.ok('output update aging aged --retention-hours 1 --tag press')
    expect(memberOf(shorter, 'retentionHours')).toBe('1')
    expect(memberOf(shorter, 'tags')).toBe('press')
    const warned = await weir.run('stream update aging --retention-hours 48 --key-retention-days 1')
    expect(warned.stderr).toContain('for 48 hours, but their keys are destroyed after 1 day.')
    const nothing = await weir.run('stream update aging')
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'weir: there is nothing to change\n  Add an option, for example --retention-hours 720.\n',
    ])
  })

  test('an output that is rebuilt has its events again, at new offsets', async () => {
    const { weir, billingId } = ground()
    await weir.ok('stream create again --save --partitions 1')
    await weir.ok('output create again anew --level 2')
    const reader = createTopicReader(ground().world.env)
    try {
      await weir.ok('send again --schema demo_v1', { input: await eventLine('demo_v1') })
      const [before] = await reader.readUntil(`${billingId}.anew`, 1)
      const rebuilt = await weir.ok('output rebuild again anew --wait --yes')
      expect(memberOf(rebuilt, 'rebuild.number')).toBe('1')
      const [after] = await reader.readUntil(`${billingId}.anew`, 1)
      expect(after?.headers['svc-source']).toEqual(before?.headers['svc-source'])
      expect(Number(after?.offset)).toBeGreaterThan(Number(before?.offset))
    } finally {
      await reader.close()
    }
  })

  test('an output from the earliest event holds what was sent before it, one from now does not', async () => {
    const { weir, billingId } = ground()
    await weir.ok('stream create history --save --partitions 1')
    await weir.ok('send history --schema demo_v1', { input: await eventLine('demo_v1') })
    const [earliest, now] = await Promise.all([
      weir.ok(
        'output create history all --level 1 --level 3 --type GRANULAR --from earliest --save',
      ),
      weir.ok('output create history later --level 2 --tag team-a --decrypter default'),
    ])
    expect(memberOf(earliest, 'consentLevels')).toBe('1, 3')
    expect(memberOf(earliest, 'consentLevelType')).toBe('GRANULAR')
    expect(memberOf(now, 'linkedStream')).toBe('history')
    expect(await weir.ok('output list')).toMatch(/^later +history +2/m)
    const table = await weir.ok('output list history')
    expect(table).toMatch(/^all +history +1, 3 +GRANULAR +weir +yes +-$/m)
    expect(table).toMatch(/^later +history +2 +CUMULATIVE +weir +yes +team-a$/m)
    const details = await weir.ok('output show history later')
    expect([memberOf(details, 'from'), memberOf(details, 'decrypterName')]).toEqual([
      'now',
      'default',
    ])
    const reader = createTopicReader(ground().world.env)
    try {
      await reader.readUntil(`${billingId}.all`, 1)
      expect(await reader.read(`${billingId}.later`)).toEqual([])
    } finally {
      await reader.close()
    }
  })

  test('a deletion lists everything deleted and forgets saved credentials', async () => {
    const { weir, billingId } = ground()
    await weir.ok('stream create doomed --save')
    for (const name of ['doomed-0', 'doomed-1', 'doomed-2']) {
      await weir.ok(`output create doomed ${name} --level ${name.slice(-1)} --save`)
    }
    await weir.ok('subject erase doomed nobody --even-if-none-found')
    const one = await weir.ok('output delete doomed doomed-2')
    expect(linesOf(one).map(words)).toEqual([
      ['DELETED', 'KIND', 'INPUT'],
      ['doomed-2', 'output', 'doomed'],
    ])
    const held = await weir.run('stream delete doomed')
    expect([held.code, held.stdout]).toEqual([1, ''])
    expect(held.stderr).toMatch(
      /^weir: The stream doomed has derived streams: .*doomed-1.*\(409\)$/m,
    )
    expect(held.stderr).toContain('weir stream delete doomed --recursive\n')
    const all = await weir.run('stream delete doomed --recursive')
    expect(all.stderr).toContain('The records of its erasures and withdrawals (1) were deleted')
    expect(linesOf(all.stdout).map(words)).toEqual([
      ['DELETED', 'KIND', 'INPUT'],
      ['doomed-0', 'output', 'doomed'],
      ['doomed-1', 'output', 'doomed'],
      ['doomed', 'input', '-'],
    ])
    expect(JSON.stringify(profileOf(weir))).not.toContain('doomed')
    const [left, again] = await Promise.all([
      weir.json('stream list'),
      weir.run('stream show doomed'),
    ])
    expect(left).not.toContainEqual(expect.objectContaining({ ref: { billingId, name: 'doomed' } }))
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('(404)')])
  })
}

const words = (line: string): string[] => line.split(/ +/)
