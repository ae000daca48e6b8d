// `weir purpose`: a level gets a name, another one, and none.
import { expect, test } from '@jest/globals'
import type { LookUpGround } from './ground.ts'

export function purposeTests(ground: LookUpGround): void {
  test('a level is named, renamed, listed, and its name removed; others keep theirs', async () => {
    const { weir } = ground()
    expect((await weir.run('purpose list')).stderr).toContain('No level has a name')
    expect(await weir.ok('purpose set 2 marketing --name ads')).toMatch(/^name +ads\n/)
    await weir.ok('purpose set 0 shop')
    await weir.ok('purpose set 2 newsletter')
    expect(await weir.ok('purpose list')).toMatch(
      /^LEVEL +TITLE +NAME\n0 +shop +level-0\n2 +newsletter +ads\n$/,
    )
    expect(await weir.ok('purpose remove 2')).toBe('Removed the name of level 2.\n')
    expect(JSON.parse(await weir.ok('purpose list -o json'))).toEqual([
      { name: 'level-0', title: 'shop', level: 0 },
    ])
  })

  test('a title of two levels, a level that is none, and one without a name are refused', async () => {
    const { weir } = ground()
    await weir.ok('purpose set 0 shop')
    const taken = await weir.run('purpose set 1 shop')
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('only once')])
    expect((await weir.run('purpose set 256 shop')).code).toBe(2)
    const none = await weir.run('purpose remove 9')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('level 9 has no name')])
  })
}
