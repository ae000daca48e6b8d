// `weir api-key`: keys with roles, created, listed and deleted.
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

    expect((await weir.run('api-key delete nobody --yes')).stderr).toContain(
      '`weir api-key list` shows the ids.',
    )
    expect(await weir.ok(`api-key delete ${keyId} --yes`)).toBe(`Deleted ${keyId}.\n`)
    expect((await weir.run('stream list', { env })).code).toBe(1)
  })
}
