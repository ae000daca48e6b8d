import { expect, test } from '@jest/globals'
import type { Registry } from '@weir/schema-registry'
import { AppError, createLog } from '@weir/kit'
import type { ContractRecord } from '@weir/control-state'
import { checkRegistry } from '../../src/registry/check-registry.ts'

const log = createLog('auth-test', 'silent')

const contract = (id: string, registryId: number): ContractRecord => ({
  type: 'contract',
  billingId: 'acme',
  id,
  status: 'active',
  schemaRegistryRef: `c-${id}/latest`,
  subject: `c-${id}`,
  registryId,
  registryVersion: 1,
  schemaText: `"${id}"`,
  validations: [],
  keyField: 'a',
  piiFields: {},
  createdAtMs: 1,
})

const placeOf = (id: number | undefined) => (id === undefined ? undefined : { id, version: 1 })

/** A fake registry that knows schemas by subject, and gives new schemas the next id. */
function registryWith(known: Record<string, number>, nextId = 100) {
  const registered: string[] = []
  const missing = async (): Promise<never> => {
    throw new AppError('registry.not_found', 'not asked here')
  }
  const registry: Registry = {
    find: async (subject) => placeOf(known[subject]),
    async register(subject, schemaText) {
      registered.push(subject)
      return { id: nextId, version: 1, schemaText }
    },
    bySubject: missing,
    byId: missing,
  }
  return { registry, registered }
}

const check = (registry: Registry, contracts: ContractRecord[]) =>
  checkRegistry({ registry, log }, contracts)

test('nothing is wrong while the registry knows each schema by its id', async () => {
  const { registry, registered } = registryWith({ 'c-a': 1, 'c-b': 2 })
  expect(await check(registry, [contract('a', 1), contract('b', 2)])).toEqual([])
  expect(registered).toEqual([])
})

test('a schema that the registry has lost is registered again, and must get its id back', async () => {
  const { registry, registered } = registryWith({}, 7)
  expect(await check(registry, [contract('a', 7)])).toEqual([])
  expect(registered).toEqual(['c-a'])
  expect(await check(registry, [contract('a', 8)])).toEqual([
    'the registry knows the schema of contract a of acme by the id 7, its events by 8',
  ])
})

test('each contract under another id is a problem of its own', async () => {
  const { registry } = registryWith({ 'c-a': 5, 'c-b': 2 })
  expect(await check(registry, [contract('a', 1), contract('b', 2), contract('c', 3)])).toEqual([
    expect.stringContaining('contract a of acme by the id 5'),
    expect.stringContaining('contract c of acme by the id 100'),
  ])
})

test('a schema that the registry has lost and does not take again is a problem, too', async () => {
  const { registry } = registryWith({})
  const refusing = {
    ...registry,
    register: async () => {
      throw new AppError('registry.incompatible', 'not compatible')
    },
  }
  expect(await check(refusing, [contract('a', 1)])).toEqual([
    'the registry has lost the schema of contract a of acme and does not accept it again',
  ])
})
