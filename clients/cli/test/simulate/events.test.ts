// Generated events are valid: for every example contract, and for a schema with all of Avro's types.
import { describe, expect, test } from '@jest/globals'
import { consentLevelsOf } from '@weir/contracts'
import { compiledContract, compiledExample, exampleContract, exampleContracts } from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'
import { createEvents } from '../../src/simulate/events.ts'

function chance(): () => number {
  let state = 1
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

const plan = { sessions: 20, levels: [[0], [0, 1], []], run: 'a1b2c3' }
const names = Object.values(exampleContracts)

const envelope = {
  name: 'svcMeta',
  type: {
    type: 'record',
    name: 'Envelope',
    fields: [
      { name: 'schemaId', type: ['null', 'string'], default: null },
      { name: 'consentLevels', type: { type: 'array', items: 'int' } },
    ],
  },
}

const definition = (fields: readonly object[], validations: readonly object[] = []) => ({
  id: 'all',
  schema: {
    schema_type: 'avro',
    schema_registry_ref: 'catalog-all/latest',
    definition: { type: 'record', name: 'All', namespace: 'a.b', fields: [envelope, ...fields] },
  },
  validations,
  key_field: 'person',
  pii_fields: { person: 1 },
})

const everything = definition([
  { name: 'person', type: ['null', 'string'], default: null },
  { name: 'color', type: { type: 'enum', name: 'Color', symbols: ['RED', 'BLUE'] } },
  { name: 'again', type: ['null', 'Color'], default: null },
  { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 4 } },
  { name: 'raw', type: 'bytes' },
  { name: 'scores', type: { type: 'map', values: ['null', 'double'] } },
  { name: 'tags', type: { type: 'array', items: ['string', 'null'] } },
  {
    name: 'place',
    type: [
      'null',
      { type: 'record', name: 'Place', namespace: 'c', fields: [{ name: 'x', type: 'long' }] },
    ],
    default: null,
  },
  { name: 'home', type: ['null', 'c.Place'], default: null },
  { name: 'isNew', type: 'boolean' },
])

describe('events that are made up', () => {
  test.each(names)('of %s are taken', async (name: ExampleContract) => {
    const contract = await compiledExample(name)
    const next = createEvents({ ...plan, contract: await exampleContract(name), random: chance() })
    for (let count = 0; count < 200; count += 1) {
      const event = contract.readJson(Buffer.from(next()))
      expect(contract.firstViolation(event)).toBeUndefined()
      expect(contract.keyOf(event)).toContain('a1b2c3')
    }
  })

  test('hold every type that a schema may have', async () => {
    const contract = await compiledContract(everything)
    const next = createEvents({ ...plan, contract: everything, random: chance() })
    for (let count = 0; count < 50; count += 1)
      expect(contract.keyOf(contract.readJson(Buffer.from(next())))).toBeDefined()
  })

  test('keep the consents of a session, and use each list', async () => {
    const contract = await compiledExample('clickstream')
    const next = createEvents({
      ...plan,
      contract: await exampleContract('clickstream'),
      random: chance(),
    })
    const consents = new Map<string, Set<string>>()
    for (let count = 0; count < 500; count += 1) {
      const event = contract.readJson(Buffer.from(next()))
      const person = contract.keyOf(event) ?? ''
      const known = consents.get(person) ?? new Set()
      consents.set(person, known.add(JSON.stringify(consentLevelsOf(event))))
    }
    expect(consents.size).toBe(plan.sessions)
    expect([...consents.values()].every(({ size }) => size === 1)).toBe(true)
    const used = new Set([...consents.values()].flatMap((each) => [...each]))
    expect(used).toEqual(new Set(['[0]', '[0,1]', '[]']))
  })

  test('pass validations, or are refused with what to do', async () => {
    const field = { name: 'person', type: 'string' }
    const mail = definition([field], [{ field: 'person', type: 'regex', value: '^\\S+@\\S+$' }])
    const contract = await compiledContract(mail)
    const event = contract.readJson(
      Buffer.from(createEvents({ ...plan, contract: mail, random: chance() })()),
    )
    expect(contract.firstViolation(event)).toBeUndefined()
    const odd = definition([field], [{ field: 'person', type: 'regex', value: '^zz[0-3]{7}$' }])
    const next = createEvents({ ...plan, contract: odd, random: chance() })
    expect(next).toThrow('no sample passes the validation of person')
  })
})
