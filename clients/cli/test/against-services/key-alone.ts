// With only an API key, some commands get temporary credentials, and delete them at their end.
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { freshName } from '@weir/testkit'
import { compiledOnce, createWeir } from '../support/weir.ts'
import { eventLine, eventsOf, memberOf, platformKey } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function keyAloneTests(ground: LookUpGround): void {
  const elsewhere = async () => {
    const { apiKey, addresses } = ground()
    const other = createWeir({ isHere: true })
    await other.ok(`account login ${addresses}`, { input: `${apiKey}\n` })
    return other
  }

  const credentialsOf = async (name: string): Promise<number> =>
    (await ground().weir.ok(`stream show ${name} -o json`)).split('"clientId"').length - 1

  test('send, simulate and listen work after a login alone, and leave no credentials behind', async () => {
    const { weir } = ground()
    await weir.ok('stream create alone')
    await weir.ok('output create alone alone-0 --level 0')
    const other = await elsewhere()
    const before = await credentialsOf('alone')
    const listening = other.start('listen alone-0 --count 1')
    await listening.says('Listening to alone-0')
    const input = await eventLine('clickstream')
    expect(await other.ok('send alone --schema clickstream', { input })).toBe(
      '1 event accepted (204)\n',
    )
    expect(eventsOf((await listening.ended).stdout)).toHaveLength(1)
    await other.ok('simulate alone --schema clickstream --rate 5 --duration 1s')
    expect(await credentialsOf('alone')).toBe(before)
  })

  test('so they do with the key in the environment alone', async () => {
    const { weir, apiKey, billingId, addresses } = ground()
    await weir.ok('stream create keyed')
    const other = createWeir({ isHere: true })
    const [authUrl, ingestUrl, outputUrl] = addresses.match(/http\S+/g) ?? []
    const env = {
      WEIR_API_KEY: apiKey,
      WEIR_AUTH_URL: authUrl ?? '',
      WEIR_INGEST_URL: ingestUrl ?? '',
      WEIR_OUTPUT_URL: outputUrl ?? '',
    }
    const input = await eventLine('clickstream')
    expect(await other.ok('send keyed --schema clickstream', { env, input })).toBe(
      '1 event accepted (204)\n',
    )
    const listening = other.start('listen keyed --count 1', { env })
    await listening.says('Listening to keyed')
    listening.interrupt()
    await listening.ended
    await other.ok('credentials rotate keyed --save', { env })
    expect(JSON.parse(readFileSync(other.profile, 'utf8'))).toMatchObject({
      accounts: { [billingId]: { streams: { keyed: { clientId: expect.any(String) } } } },
    })
    expect((await other.run('doctor', { env })).stdout).toMatch(
      new RegExp(`^ok +account +${billingId}$`, 'm'),
    )
  })

  test('a login says whose key it saves, and which it replaces', async () => {
    const { weir, addresses } = ground()
    const other = await elsewhere()
    const made = await weir.ok('api-key create auditor --role viewer')
    const input = `${memberOf(made, 'apiKey')}\n`
    const refused = await other.run(`account login ${addresses}`, { input })
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('This replaces it, and nobody can show it again.'),
    ])
    const again = await other.run(`account login ${addresses} --yes`, { input })
    expect(again.stderr).toContain('It replaces a key with the role owner.\n')
    expect(again.stderr).toContain('The role of its key: viewer.\n')
    await weir.ok(`api-key delete ${memberOf(made, 'keyId')} --yes`)
  })

  test('it says if saved credentials may not do this, and temporary ones do', async () => {
    const { weir } = ground()
    await weir.ok('stream create narrow')
    await weir.ok('credentials rotate narrow --scope listen --save')
    const input = await eventLine('clickstream')
    const sent = await weir.run('send narrow --schema clickstream', { input })
    expect([sent.code, sent.stderr]).toEqual([
      0,
      'The saved credentials of narrow may not send. Using temporary ones, created with the API key.\n',
    ])
    const listening = weir.start('listen narrow -o json')
    await listening.says('Listening to narrow; Ctrl-C ends it.')
    listening.interrupt()
    expect((await listening.ended).stderr).not.toContain('temporary')
  })

  test('Ctrl-C deletes the credentials, too', async () => {
    const { weir } = ground()
    await weir.ok('stream create interrupted')
    const other = await elsewhere()
    const before = await credentialsOf('interrupted')
    const listening = other.start('listen interrupted')
    await listening.says('Listening to interrupted')
    expect(await credentialsOf('interrupted')).toBe(before + 1)
    listening.interrupt()
    expect((await listening.ended).code).toBe(0)
    await pollUntil(async () => (await credentialsOf('interrupted')) === before, {
      deadlineMs: 30_000,
    })
  })

  test('of an output that is deleted meanwhile, there are no credentials to revoke', async () => {
    const { weir } = ground()
    await weir.ok('stream create leaving')
    await weir.ok('output create leaving leaving-0 --level 0')
    const listening = (await elsewhere()).start('listen leaving-0')
    await listening.says('Listening to leaving-0')
    await weir.ok('output delete leaving leaving-0 --yes')
    const { code, stderr } = await listening.ended
    expect([code, stderr]).toEqual([1, expect.not.stringContaining('could not be deleted')])
  })

  test('a mistyped name is said before any advice about credentials', async () => {
    const { weir } = ground()
    await weir.ok('stream create spelling --save')
    const other = await elsewhere()
    const input = await eventLine('clickstream')
    for (const line of [
      'send speling --schema clickstream',
      'listen speling',
      'token speling',
      'kafka speling',
      'credentials rotate speling',
    ])
      expect(await other.run(line, { input })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^weir: there is no stream or output speling; did you mean spelling\?\n(?!.*rotate)/,
        ),
      })
    expect((await weir.run('stream show speling')).stderr).toContain('  Did you mean spelling?\n')
    expect((await weir.run('contract show clickstrem')).stderr).toContain(
      'did you mean clickstream?',
    )
  })

  test('a file that takes a secret can be read by its owner alone', async () => {
    const { weir } = ground()
    await weir.ok('stream create secret --save')
    await weir.ok('output create secret secret-1 --level 1 --save')
    const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))
    const shell = (line: string) =>
      spawnSync('sh', ['-c', `umask 022; '${process.execPath}' '${bin}' ${line}`], {
        cwd: weir.folder,
        env: { ...process.env, ...compiledOnce, HOME: weir.folder, WEIR_CONFIG: weir.profile },
      }).status
    const modeOf = (file: string) => statSync(join(weir.folder, file)).mode & 0o777
    expect(shell('kafka secret-1 > secret.properties')).toBe(0)
    expect(shell('credentials rotate secret -o json > rotated.json')).toBe(0)
    expect(shell('token secret > token.txt')).toBe(0)
    expect(shell('stream list > streams.txt')).toBe(0)
    expect(['secret.properties', 'rotated.json', 'token.txt', 'streams.txt'].map(modeOf)).toEqual([
      0o600, 0o600, 0o600, 0o644,
    ])
  })

  test('the platform deletes an account, once its name was said', async () => {
    const { addresses } = ground()
    const billingId = freshName('gone')
    const other = createWeir({ isHere: true })
    await other.ok(`account create ${billingId} --save ${addresses}`, platformKey())
    expect((await other.run('stream list')).stderr).toContain(
      `No streams yet in the account ${billingId}, ${other.profile}: `,
    )
    await other.ok('stream create clicks')
    expect(await other.ok(`account delete ${billingId} --yes ${addresses}`, platformKey())).toBe(
      `Deleted ${billingId}. Streams and outputs deleted with it: 1.\n`,
    )
    expect((await other.run('stream list')).stderr).toContain('no API key')
  })

  test('the platform gives an account that lost its keys another one', async () => {
    const { billingId, addresses } = ground()
    const other = createWeir({ isHere: true })
    await other.ok(`account key ${billingId} --save ${addresses}`, platformKey())
    expect(await other.json('account show')).toMatchObject({ billingId, key: { role: 'owner' } })
  })
}
