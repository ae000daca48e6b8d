// Creates two accounts that must not see each other. Each has everything that an account can have, under unique names.
// A request with the other account's names must get the same response as a request with names that don't exist.
import { randomBytes, randomUUID } from 'node:crypto'
import {
  asObject,
  signUp,
  exampleContract,
  expectStatus,
  freshName,
  textIn,
} from '../world/account.ts'
import type { Account, Reply, TestStream } from '../world/account.ts'

/** The values of path parameters, and all other names that a request can contain. */
export type TenantNames = {
  readonly billingId: string
  readonly stream: string
  readonly output: string
  readonly contract: string
  readonly subject: string
  /** The schema's id in the registry. */
  readonly schemaId: string
  /** A version that the subject doesn't have. */
  readonly version: string
  readonly clientId: string
  readonly erasure: string
  readonly search: string
  readonly keyId: string
}

export type Tenant = {
  readonly account: Account
  readonly names: TenantNames
  readonly input: TestStream
  readonly derived: TestStream
}

export type Tenants = {
  readonly ours: Tenant
  readonly theirs: Tenant
  readonly nobodys: TenantNames
}

export async function makeTenants(authUrl: string): Promise<Tenants> {
  const [ours, theirs] = await Promise.all([makeTenant(authUrl), makeTenant(authUrl)])
  const { schemaId } = theirs.names
  const nobodys = { ...freshNames(), schemaId: schemaId.replaceAll(/./g, '9'), version: '23' }
  return { ours, theirs, nobodys }
}

/** Returns names of the same lengths each time, so that lengths reveal nothing. */
const freshNames = (): TenantNames => ({
  billingId: freshName('t'),
  stream: freshName('i'),
  output: freshName('o'),
  contract: freshName('c'),
  subject: freshName('s'),
  schemaId: '',
  version: '22',
  clientId: randomUUID(),
  erasure: randomUUID(),
  search: randomBytes(32).toString('base64url'),
  keyId: randomBytes(6).toString('hex'),
})

async function makeTenant(authUrl: string): Promise<Tenant> {
  const names = freshNames()
  const account = await signUp(authUrl, names.billingId)
  const published = await account.call('POST', '/v2/contracts', await tenantsContract(names))
  const { schema } = asObject(expectStatus(published, 201).body)
  const schemaId = String(asObject(schema)['schema_registry_id'])
  const input = await account.input(names.stream)
  const derived = await account.output(names.stream, names.output, { consentLevels: [1] })
  const path = `/v2/streams/${names.stream}/erasures`
  const erased = await account.call('POST', path, {
    keyFieldValue: 'nobody yet',
    evenIfNoneFound: true,
  })
  const erasure = textIn(expectStatus(erased, 201).body, 'id')
  const asked = await account.call('POST', '/v2/people/search', { value: 'nobody yet' })
  const search = textIn(expectStatus(asked, 202).body, 'searchId')
  const made = await account.call('POST', '/v2/api-keys', { name: 'of the tests' })
  const keyId = textIn(expectStatus(made, 201).body, 'keyId')
  return {
    account,
    names: { ...names, schemaId, clientId: input.clientId, erasure, search, keyId },
    input,
    derived,
  }
}

/** Returns the clickstream contract under these names. */
export async function tenantsContract({
  contract,
  subject,
}: Pick<TenantNames, 'contract' | 'subject'>) {
  const example = await exampleContract('clickstream')
  const schema = { ...asObject(example['schema']), schema_registry_ref: `${subject}/latest` }
  return { ...example, id: contract, schema }
}

/** Returns, in a fixed order, all paths of the template in which at least one parameter is the other account's. */
export function foreignPaths(template: string, ours: TenantNames, others: TenantNames): string[] {
  const parameters = [...template.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const ways = Array.from({ length: 2 ** parameters.length - 1 }, (_, index) => index + 1)
  return ways.map((way) => {
    let bit = 1
    return template.replace(/:(\w+)/g, (_, name: string) => {
      const isForeign = (way & bit) !== 0
      bit *= 2
      return encodeURIComponent(nameIn(isForeign ? others : ours, name))
    })
  })
}

function nameIn(names: TenantNames, parameter: string): string {
  const value = Object.entries(names).find(([name]) => name === parameter)?.[1]
  if (value === undefined) throw new Error(`no test knows what :${parameter} stands for`)
  return value
}

/**
 * Returns a response without these names, and without values that differ at each request. The rest must not differ
 * between accounts.
 */
export function withoutNames(
  { status, headers, text }: Pick<Reply, 'status' | 'headers' | 'text'>,
  names: TenantNames,
) {
  const own = new Set(['date', 'svc-request-id'])
  const told = [...headers]
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => (name === 'retry-after' ? [name] : [name, value]))
  return { status, told, text: anonymous(text, names) }
}

function anonymous(text: string, names: TenantNames): string {
  let left = text
  for (const [name, value] of Object.entries(names))
    left = left.replaceAll(word(value), `<${name}>`)
  return left
}

export const namesIn = (text: string, names: TenantNames): string[] =>
  Object.entries(names).flatMap(([name, value]) =>
    !isNumber(value) && text.includes(value) ? [name] : [],
  )

/** True for schema ids and versions. A key's id has twelve hexadecimal digits. */
const isNumber = (value: string): boolean => /^\d{1,9}$/.test(value)

/** Matches a number only after «Schema» or «Version», because it may be in a text for other reasons. */
const word = (value: string): RegExp =>
  new RegExp(isNumber(value) ? `(?<=Schema |Version )${value}\\b` : value, 'g')
