// `weir credentials …`: rotation without a gap, and revoking old credentials.
import { expect, test } from '@jest/globals'
import { createWeir } from '../support/weir.ts'
import { eventLine, memberOf, profileOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function credentialsTests(ground: LookUpGround): void {
  test('rotated credentials take the place of saved ones, and the old are good until revoked', async () => {
    const { weir, billingId, world } = ground()
    const made = await weir.ok('stream create rotated --save')
    const old = {
      WEIR_CLIENT_ID: memberOf(made, 'credentials.clientId'),
      WEIR_CLIENT_SECRET: memberOf(made, 'credentials.clientSecret'),
    }
    const rotated = await weir.run('credentials rotate rotated')
    const clientId = memberOf(rotated.stdout, 'clientId')
    expect(clientId).not.toBe(old.WEIR_CLIENT_ID)
    expect(rotated.stderr).toContain(`weir credentials revoke rotated ${old.WEIR_CLIENT_ID}`)
    expect(profileOf(weir)).toMatchObject({
      accounts: { [billingId]: { streams: { rotated: { clientId } } } },
    })
    await Promise.all([weir.ok('token rotated'), weir.ok('token rotated', { env: old })])

    const whichOne = await weir.run('credentials revoke rotated')
    expect([whichOne.code, whichOne.stderr]).toEqual([
      2,
      'weir: rotated has 2 credentials; say which of them to revoke\n' +
        `  weir credentials revoke rotated ${old.WEIR_CLIENT_ID}\n` +
        `  weir credentials revoke rotated ${clientId}\n`,
    ])
    const wrongOne = await weir.run('credentials revoke rotated nobody --yes')
    expect([wrongOne.code, wrongOne.stderr]).toEqual([
      2,
      whichOne.stderr.replace('2 credentials', 'no credentials nobody'),
    ])
    await weir.ok(`credentials revoke rotated ${old.WEIR_CLIENT_ID}`)
    const [dead, alive] = await Promise.all([
      weir.run('token rotated', { env: old }),
      weir.run('token rotated'),
    ])
    expect([dead.code, dead.stderr, alive.code]).toEqual([
      1,
      expect.stringMatching(/^weir: .* \(401\)$/m),
      0,
    ])
    expect(dead.stderr).not.toContain(old.WEIR_CLIENT_SECRET)
    const own = { ...old, WEIR_BILLING_ID: billingId, WEIR_AUTH_URL: world.auth.url }
    expect(await createWeir({ isHere: true }).run('kafka rotated', { env: own })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        `warning: ${world.auth.url} refuses these credentials for the account ${billingId}, `,
      ),
    })

    expect(await weir.ok('credentials revoke rotated')).toBe(`Revoked ${clientId} of rotated.\n`)
    expect(JSON.stringify(profileOf(weir))).not.toContain(clientId)
    expect((await weir.run('credentials revoke rotated')).stderr).toBe(
      'weir: rotated has no credentials\n',
    )
  })

  test('credentials for one purpose do only that, and replace saved ones only when asked to', async () => {
    const { weir } = ground()
    await weir.ok('stream create scoped --save')
    const sendOnly = await weir.ok('credentials rotate scoped --scope send')
    const env = {
      WEIR_CLIENT_ID: memberOf(sendOnly, 'clientId'),
      WEIR_CLIENT_SECRET: memberOf(sendOnly, 'clientSecret'),
    }
    expect(JSON.stringify(profileOf(weir))).not.toContain(env.WEIR_CLIENT_ID)
    const input = await eventLine('clickstream')
    const [sent, deaf] = await Promise.all([
      weir.run('send scoped --schema clickstream', { input, env }),
      weir.run('listen scoped', { env }),
    ])
    expect(sent.code).toBe(0)
    expect([deaf.code, deaf.stderr]).toEqual([
      1,
      'weir: These credentials are for sending; listening needs the scope listen (403)\n' +
        '  `weir credentials rotate scoped --save` creates credentials that may listen.\n',
    ])
    const listenOnly = await weir.ok('credentials rotate scoped --scope listen')
    const mute = await weir.run('send scoped --schema clickstream', {
      input,
      env: {
        WEIR_CLIENT_ID: memberOf(listenOnly, 'clientId'),
        WEIR_CLIENT_SECRET: memberOf(listenOnly, 'clientSecret'),
      },
    })
    expect([mute.code, mute.stderr]).toEqual([
      1,
      expect.stringContaining(
        '`weir credentials rotate scoped --save` creates credentials that may send and listen',
      ),
    ])
    const saved = await weir.ok('credentials rotate scoped --scope listen --save')
    expect((await weir.run('send scoped --schema clickstream', { input })).code).toBe(0)
    expect(JSON.stringify(profileOf(weir))).toContain(memberOf(saved, 'clientId'))
    await weir.ok('output create scoped scoped-0 --level 0')
    const wrong = await weir.run('credentials rotate scoped-0 --scope send')
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'weir: scope must be listen: nothing can be sent to a derived stream (422)\n',
    ])
    expect((await weir.run('credentials rotate nobody')).stderr).toContain(
      'there is no stream or output nobody',
    )
  })
}
