// `weir contract …`: the spec's five contracts, published from their files in examples/. `weir purpose …`: a level's
// name is set, changed and removed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { signUp, exampleContract, exampleContracts } from '@weir/testkit'
import { createWeir } from '../support/weir.ts'
import { contractFile, eventLine, linesOf } from './ground.ts'
import type { LookUpGround } from './ground.ts'

export function contractTests(ground: LookUpGround): void {
  test('all five examples can be published, from a file and from the input, and are listed', async () => {
    const { weir, world } = ground()
    const { billingId, apiKey } = await signUp(world.auth.url)
    const env = {
      WEIR_AUTH_URL: world.auth.url,
      WEIR_BILLING_ID: billingId,
      WEIR_API_KEY: apiKey,
    }
    const warnings: string[] = []
    for (const name of Object.values(exampleContracts)) {
      const file = await contractFile({ weir, billingId }, name)
      const input = readFileSync(file, 'utf8')
      const { code, stdout, stderr } = await (name === 'clickstream'
        ? weir.run(`contract create -f ${file}`, { env })
        : weir.run('contract create', { input, env }))
      expect([name, code]).toEqual([name, 0])
      expect(stdout).toMatch(/^status +active$/m)
      expect(stdout).not.toContain('definition')
      warnings.push(stderr)
    }
    // The key field of a later contract is at level 2.
    expect(warnings[0]).toBe('')
    expect(warnings.join('')).toMatch(/^warning: The key field .* is at level 2, and /m)

    const rows = linesOf(await weir.ok('contract list', { env }))
    expect(rows[0]).toMatch(/^ID +STATUS +SCHEMA +KEY +PII$/)
    expect(rows).toHaveLength(6)
    expect(rows.find((row) => row.startsWith('clickstream '))).toMatch(
      / active .*-clickstream\/latest +producerSessionId +customer\/id: 0, producerSessionId: 1$/,
    )
  })

  test('a contract is shown as it was published, its schema as JSON', async () => {
    const { weir } = ground()
    const { schema, key_field, pii_fields, validations } = await exampleContract('clickstream')
    const shown = await weir.json('contract show clickstream')
    expect(shown).toMatchObject({ id: 'clickstream', key_field, pii_fields, validations })
    expect(shown).toMatchObject({ schema: { definition: definitionOf(schema) } })
    const text = await weir.ok('contract show demo/event/1.0.0')
    expect(text).toMatch(/^id +demo\/event\/1\.0\.0$/m)
    const [, json = ''] = text.split('\nschema.definition\n')
    const event = await exampleContract('demo_event')
    expect(JSON.parse(json)).toEqual(definitionOf(event['schema']))
  })

  test('a contract is told as TypeScript, on standard output or in a file', async () => {
    const { weir } = ground()
    const printed = await weir.ok('contract types clickstream')
    expect(printed).toContain('\nexport const clickstream: Contract<ClickstreamEvent> = {\n')
    expect(await weir.ok('contract types clickstream -f clickstream.ts')).toBe('')
    expect(readFileSync(join(weir.folder, 'clickstream.ts'), 'utf8')).toBe(printed)
    const nowhere = await weir.run('contract types clickstream -f nowhere/clickstream.ts')
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('its folder does not exist'),
    ])
  })

  test('an archived contract is refused from then on, and no event that names it is stored', async () => {
    const { weir } = ground()
    const file = await contractFile(ground(), 'clickstream', 'shop/click/1.0.0')
    await weir.ok(`contract create -f ${file}`)
    await weir.ok('stream create archive-check --save')
    const misspelt = { input: await eventLine('clickstream') }
    expect(
      (await weir.run('send archive-check --schema shop/clik/1.0.0', misspelt)).stderr,
    ).toContain('Did you mean shop/click/1.0.0?')
    expect(await weir.ok('contract archive shop/click/1.0.0')).toBe('Archived shop/click/1.0.0.\n')
    expect(await weir.ok('contract list')).toMatch(/^shop\/click\/1\.0\.0 +archived /m)
    const input = await eventLine('clickstream')
    expect(await weir.run('send archive-check --schema shop/click/1.0.0', { input })).toEqual({
      code: 1,
      stdout: '0 events accepted\n',
      stderr:
        "weir: stopped at line 1: Unknown schema id: 'shop/click/1.0.0' (the contract is archived) (400)\n" +
        '  `weir contract list` shows the contracts of the account.\n',
      more: 'http://auth.test/docs/errors/unknown_schema_id',
    })
  })

  test('a subject that is taken is told with what to change, and with no word of its owner', async () => {
    const { weir, world, addresses } = ground()
    const [owner, other] = await Promise.all([signUp(world.auth.url), signUp(world.auth.url)])
    const file = await contractFile({ weir, billingId: owner.billingId }, 'clickstream')
    const env = {
      WEIR_AUTH_URL: world.auth.url,
      WEIR_BILLING_ID: owner.billingId,
      WEIR_API_KEY: owner.apiKey,
    }
    await weir.ok(`contract create -f ${file}`, { env })
    const elsewhere = createWeir({ isHere: true })
    await elsewhere.ok(`account login ${addresses}`, { input: `${other.apiKey}\n` })
    const { code, stdout, stderr } = await elsewhere.run(`contract create -f ${file}`)
    expect([code, stdout]).toEqual([1, ''])
    const subject = `${owner.billingId.replaceAll('-', '_')}-clickstream`
    expect(linesOf(stderr)).toEqual([
      `weir: schema.schema_registry_ref: the subject ${subject} is taken; choose one that starts with your own billing id, such as ${other.billingId}-events (422)`,
      `  Change schema_registry_ref in ${file}, and publish the contract again.`,
      `  This is about the account ${other.billingId}, ${elsewhere.profile}.`,
    ])
  })

  test('what is wrong with a contract is told at once, a problem a line', async () => {
    const { weir } = ground()
    const create = (input: string) => weir.run('contract create', { input })
    const [invalid, taken, unreadable, absent] = await Promise.all([
      create('{"id":"x","validations":[]}'),
      create(readFileSync(await contractFile(ground(), 'clickstream'), 'utf8')),
      create('{"id":'),
      weir.run('contract create -f absent.json'),
    ])
    const [head, ...problems] = linesOf(invalid.stderr)
    expect([invalid.code, head]).toEqual([1, 'weir: The input is invalid (422)'])
    expect(problems.length).toBeGreaterThan(2)
    expect(problems.filter((line) => !line.startsWith('  - '))).toEqual([])
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringContaining('clickstream exists already'),
    ])
    expect([unreadable.code, unreadable.stderr]).toEqual([
      2,
      "weir: the input isn't JSON: line 1, column 7: Unexpected end of JSON input\n",
    ])
    expect([absent.code, absent.stderr]).toEqual([2, 'weir: absent.json does not exist\n'])
    for (const [input, is] of [
      ['{"svcMeta":{"consentLevels":[0]},"url":"x"}', 'an event'],
      ['{"type":"record","name":"X","fields":[]}', 'an Avro schema'],
    ] as const)
      expect(await create(input)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          `^weir: the input is ${is}, not a contract\n  A contract has `,
        ),
      })
    await weir.ok('stream create contractless')
    for (const line of [
      'contract archive nobody --yes',
      'simulate contractless --schema nobody --rate 1',
    ])
      expect((await weir.run(line)).stderr).toContain('`weir contract list` shows the contracts.')
    const unknown = await weir.run('contract show nobody/knows/1.0.0')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no contract has')])
  })
}

/** Reads a member that may be missing, without the command's own functions. */
function definitionOf(schema: unknown): unknown {
  return typeof schema === 'object' && schema !== null && 'definition' in schema
    ? schema.definition
    : undefined
}

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
    const twice = expect.stringContaining('Two purposes have the title «shop»')
    expect([taken.code, taken.stderr]).toEqual([1, twice])
    expect((await weir.run('purpose set 256 shop')).code).toBe(2)
    const none = await weir.run('purpose remove 9')
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('level 9 has no name')])
  })
}
