// `weir account …`: accounts are created, logged in to, shown, and found in the demo's file.
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { freshName } from '@weir/testkit'
import { writeJson } from '../support/temporary.ts'
import { createWeir } from '../support/weir.ts'
import { memberOf, platformKey } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function accountTests(ground: LookUpGround): void {
  test('a new account is saved for its owner alone and is the one in use', async () => {
    const { weir, billingId, apiKey, world } = ground()
    expect(apiKey).toMatch(/^weir_[\w-]{43}$/)
    expect(statSync(weir.profile).mode & 0o777).toBe(0o600)
    const [shown, listed] = await Promise.all([weir.ok('account show'), weir.ok('account list')])
    expect(shown).toMatch(new RegExp(`^billingId +${billingId}$`, 'm'))
    expect(shown).toMatch(new RegExp(`^outputUrl +${world.output.url}$`, 'm'))
    expect(memberOf(shown, 'analystBrokers')).toMatch(/:\d+$/)
    expect(listed).toMatch(new RegExp(`^${billingId} +yes +yes +${world.auth.url} `, 'm'))
    expect(`${shown}${listed}`).not.toContain(apiKey)
  })

  test('an account is refused without the platform key, and under a taken or an impossible name', async () => {
    const { weir, billingId, apiKey, addresses } = ground()
    const create = (id: string, options: { input: string }) =>
      weir.run(`account create ${id} ${addresses}`, options)
    expect(await create(freshName('cli'), { input: `${apiKey}\n` })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'weir: The key in the request is not the platform key (401)\n' +
        '  This needs the platform key (PLATFORM_KEY of auth), not the API key of an account.\n',
      more: 'http://auth.test/docs/errors/invalid_platform_key',
    })
    const [taken, impossible] = await Promise.all([
      create(billingId, platformKey()),
      create('Not_A_Name', platformKey()),
    ])
    expect([taken.code, taken.stderr]).toEqual([
      1,
      `weir: There is an account ${billingId} already (409)\n` +
        '  Choose another name. If the account is yours: `weir account login` saves its API key, ' +
        `\`weir account key ${billingId}\` creates one.\n`,
    ])
    expect([impossible.code, linesIn(impossible.stderr)]).toEqual([1, 1])
    expect(impossible.stderr).toMatch(
      /^weir: billingId must be 1 to 63 lower-case letters .*\(422\)/,
    )
  })

  test('a login keeps a key that works, another account is used, and a logout forgets', async () => {
    const { billingId, apiKey, addresses, world } = ground()
    const elsewhere = createWeir({ isHere: true })
    const login = (input: string, more = '') =>
      elsewhere.run(`account login ${addresses}${more}`, { input: `${input}\n` })
    const wrong = await login(`${apiKey.slice(0, -1)}!`)
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'weir: No account has the API key that was sent (401)\n' +
        '  Is the key complete, and is this the right address?\n',
    ])
    expect((await login(apiKey, ' --billing-id another')).stderr).toBe(
      `weir: the key belongs to the account ${billingId}, not another\n`,
    )
    expect(await elsewhere.json('account list')).toEqual([])
    expect((await login('')).code).toBe(2)

    const kept = await login(apiKey, ' -o json')
    const { auth, ingest, output } = world
    const urls = { authUrl: auth.url, ingestUrl: ingest.url, outputUrl: output.url }
    expect([kept.code, kept.stderr]).toEqual([0, ''])
    expect(JSON.parse(kept.stdout)).toEqual({ billingId, ...urls })
    expect(await elsewhere.json('account show')).toMatchObject({ billingId, ...urls })
    expect(await elsewhere.json(`account use ${billingId}`)).toEqual({ billingId })
    expect(await elsewhere.json(`account logout ${billingId}`)).toEqual({ billingId })
    expect(readFileSync(elsewhere.profile, 'utf8')).not.toContain(apiKey)
    expect((await elsewhere.run('account show')).stderr).toContain('no API key')
  })

  test('a login says that its key is from WEIR_API_KEY, whether the key is refused or saved', async () => {
    const { apiKey, addresses } = ground()
    const elsewhere = createWeir({ isHere: true })
    const login = (key: string) =>
      elsewhere.run(`account login ${addresses}`, {
        input: `${apiKey}\n`,
        env: { WEIR_API_KEY: key },
      })
    const stale = await login('weir_stale')
    expect([stale.code, stale.stderr]).toEqual([
      1,
      'weir: No account has the API key that was sent (401)\n' +
        '  The key is from WEIR_API_KEY, which takes precedence over standard input and the profile: set another one, or unset it.\n',
    ])
    const { code, stderr } = await login(apiKey)
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/\nThe key is from WEIR_API_KEY\.\n$/),
    ])
  })

  test("the demo's account is found from any folder below its own, without a login", async () => {
    const { billingId, apiKey, world } = ground()
    const { folder, run } = createWeir()
    const { auth, ingest, output } = world
    const urls = { authUrl: auth.url, ingestUrl: ingest.url, outputUrl: output.url }
    writeJson(join(folder, '.weir', 'demo.json'), { ...urls, billingId, apiKey, streams: [] })
    const below = join(folder, 'deep', 'below')
    mkdirSync(below, { recursive: true })
    const { code, stdout, stderr } = await run('account show', { cwd: below })
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^billingId +${billingId}$`, 'm'))
    expect(stderr).toContain(`(using the demo account of ${join(folder, '.weir', 'demo.json')})`)
  })
}

const linesIn = (text: string): number => text.trimEnd().split('\n').length
