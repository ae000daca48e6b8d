// What programs depend on: with `-o json` each command prints one JSON value, and nothing else.
import { expect, test } from '@jest/globals'
import { asObject, textIn } from '@weir/testkit'
import { contractFile, eventLine, linesOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function programTests(ground: LookUpGround): void {
  const everyCommand = async (): Promise<void> => {
    const { weir, billingId } = ground()
    const file = await contractFile(ground(), 'clickstream', 'program/click/1.0.0')
    const input = await eventLine('clickstream')
    const ref = (name: string): unknown => ({ billingId, name })
    const json = (line: string): Promise<unknown> => weir.json(line, { input })

    // The contract's warnings are in the response, and on standard error.
    const { stdout, stderr } = await weir.run(`contract create -f ${file} -o json`)
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'program/click/1.0.0',
      status: 'active',
      warnings: linesOf(stderr).map((line) => line.replace('warning: ', '')),
    })
    expect(await json('stream create p --save')).toEqual({
      ref: ref('p'),
      enabled: true,
      limits: { eventRate: expect.any(String), eventCount: expect.any(String) },
      credentials: [{ clientId: expect.any(String), clientSecret: expect.any(String) }],
    })
    expect(await json('output create p p-1 --level 1 --save')).toEqual({
      ref: ref('p-1'),
      linkedStream: 'p',
      consentLevels: [1],
      consentLevelType: 'CUMULATIVE',
      enabled: true,
      credentials: [{ clientId: expect.any(String), clientSecret: expect.any(String) }],
    })
    expect(await json('send p --schema program/click/1.0.0')).toEqual({ accepted: 1, rejected: [] })
    expect(Object.keys(asObject(await json('token p')))).toEqual([
      'idToken',
      'refreshToken',
      'expiresAt',
    ])
    expect(await json('account show')).toMatchObject({ billingId })
    for (const list of ['account list', 'contract list', 'stream list', 'output list p'])
      expect([list, Array.isArray(await json(list))]).toEqual([list, true])
    for (const [verb, enabled] of [
      ['show', true],
      ['disable', false],
      ['enable', true],
    ] as const) {
      expect(await json(`stream ${verb} p`)).toMatchObject({ ref: ref('p'), enabled })
      expect(await json(`output ${verb} p p-1`)).toMatchObject({ ref: ref('p-1'), enabled })
    }
    const rotated = await json('credentials rotate p-1')
    expect(rotated).toMatchObject({ clientId: expect.any(String), scope: ['listen'] })
    const clientId = textIn(asObject(rotated), 'clientId')
    expect(await json(`credentials revoke p-1 ${clientId}`)).toMatchObject({
      deleted: [{ clientId }],
    })
    expect(await json('contract archive program/click/1.0.0')).toMatchObject({ status: 'archived' })
    expect(await json('output delete p p-1')).toMatchObject({ deleted: [{ ref: ref('p-1') }] })
    expect(await json('stream delete p')).toMatchObject({ deleted: [{ ref: ref('p') }] })
  }
  test(
    'with -o json every command prints one JSON value and says nothing besides',
    everyCommand,
    120_000,
  )

  test('a wrong API key is refused with 1 and nothing on standard output', async () => {
    const { weir } = ground()
    const env = { WEIR_API_KEY: 'weir_wrong' }
    expect(await weir.run('stream list -o json', { env })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'weir: No account has the API key that was sent (401)\n' +
        '  The key is from WEIR_API_KEY, which takes precedence over standard input and the profile: set another one, or unset it.\n',
      more: 'http://auth.test/docs/errors/invalid_api_key',
    })
  })

  test('the address of another service is told from an unknown name', async () => {
    const { weir, world } = ground()
    const env = { WEIR_AUTH_URL: world.ingest.url, WEIR_API_KEY: 'any' }
    const { code, stderr } = await weir.run('stream list', { env })
    expect(code).toBe(1)
    expect(stderr).toContain(`(404)\n  Is ${world.ingest.url} the right address?\n`)
  })
}
