// `weir api-key`: keys with roles are created, listed and deleted.
import { expect, test } from '@jest/globals'
import { memberOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function apiKeyTests(ground: LookUpGround): void {
  test('a key is created with a role, shown once, listed, refused what it may not, and deleted', async () => {
    const { weir } = ground()
    const made = await weir.ok('api-key create dashboard --expires-in-days 30')
    const [apiKey, keyId] = [memberOf(made, 'apiKey'), memberOf(made, 'keyId')]
    const list = await weir.ok('api-key list')
    expect(list).toMatch(new RegExp(`${keyId} +dashboard +viewer `))
    expect(list).not.toContain(apiKey)

    const env = { WEIR_API_KEY: apiKey }
    const refused = await weir.run('stream create forbidden', { env })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('needs the role developer'),
    ])
    expect((await weir.run('doctor', { env })).stdout).toMatch(/API key +valid, .*role viewer/)

    const builder = memberOf(await weir.ok('api-key create builder --role developer'), 'apiKey')
    const building = { env: { WEIR_API_KEY: builder } }
    await weir.run('stream create built', building)
    const output = await weir.run('output create built built-0 --level 0', building)
    expect(output.stderr).toContain(
      'built-0 has no credentials yet. An owner creates them: weir credentials rotate built-0',
    )
    expect((await weir.run('stream update built --retention-hours 5', building)).stderr).toContain(
      'Setting retentionHours needs the role owner, and the API key has the role developer',
    )

    expect((await weir.run('stream update built --rate 5', { env })).stderr).toContain(
      '--rate: only with a key that has the role owner.',
    )

    expect((await weir.run('api-key delete nobody --yes')).stderr).toContain(
      '`weir api-key list` shows the ids.',
    )
    expect(await weir.ok(`api-key delete ${keyId} --yes`)).toBe(`Deleted ${keyId}.\n`)
    expect((await weir.run('stream list', { env })).code).toBe(1)
  })
}
