// Creates, finds and revokes ACLs of topics, groups and transactional ids in Kafka's authorizer. Weir creates only
// ALLOW for READ and WRITE, which include DESCRIBE.
import {
  AclOperations,
  AclPermissionTypes,
  ResourcePatternTypes,
  ResourceTypes,
  createAclsV3,
  deleteAclsV3,
  describeAclsV3,
} from '#client-library'
import type { Acl as Entry } from '#client-library'

import { hasCode, pollUntil } from '@weir/kit'

import { createBrokerCalls } from '../connect/broker-calls.ts'
import type { KafkaBrokers, BrokerCall } from '../connect/broker-calls.ts'
import { requestOf } from '../connect/requests.ts'
import type { BrokerRequest } from '../connect/requests.ts'
import { protocolTypeOf, brokerUnavailable } from '../connect/faults.ts'
import type { Kafka } from '../connect/internals.ts'
import { KafkaError } from '../errors.ts'

/** Lets a principal read or write a topic, join a group, or use a transactional id. */
export type Acl = {
  /** The principal as Kafka writes it: `User:…`. */
  readonly principal: string
  readonly resource: 'topic' | 'group' | 'transactionalId'
  readonly name: string
  readonly pattern: 'literal' | 'prefixed'
  /** `all` may be found, but is never created. */
  readonly operation: 'read' | 'write' | 'all'
}

/** Except `close`, each throws KafkaError `kafka.no_authorizer` if brokers have no authorizer and allow everything. */
export type Acls = {
  /** Includes other programs' ACLs that fit the type `Acl`. */
  list(): Promise<Acl[]>
  /** Resolves once every broker has the ACLs. */
  allow(acls: readonly Acl[]): Promise<void>
  /** Revokes exactly these ACLs. Resolves once no broker has them any more. */
  revoke(acls: readonly Acl[]): Promise<void>
  /**
   * Revokes ACLs of these principals: those that `list` returns if the handle has a prefix, otherwise all. Resolves
   * once no broker has them.
   */
  disallow(principals: readonly string[]): Promise<void>
  close(): Promise<void>
}

const OPERATION = {
  all: AclOperations.ALL,
  read: AclOperations.READ,
  write: AclOperations.WRITE,
} as const satisfies Record<Acl['operation'], number>
const RESOURCE = {
  topic: ResourceTypes.TOPIC,
  group: ResourceTypes.GROUP,
  transactionalId: ResourceTypes.TRANSACTIONAL_ID,
} as const satisfies Record<Acl['resource'], number>
const PATTERN = {
  literal: ResourcePatternTypes.LITERAL,
  prefixed: ResourcePatternTypes.PREFIXED,
} as const satisfies Record<Acl['pattern'], number>

const EVERY_HOST = '*'
const AT_ONCE_MAX = 200
const SPREAD = { deadlineMs: 15_000, everyMs: 20 }

const EVERYTHING = {
  resourceType: ResourceTypes.ANY,
  resourceName: null,
  resourcePatternType: ResourcePatternTypes.ANY,
  host: null,
  operation: AclOperations.ANY,
  permissionType: AclPermissionTypes.ANY,
}

export function createAcls(kafka: Kafka): Acls {
  const calls = createBrokerCalls(kafka)
  const ask: Ask = (what, work) => calls.run(what, (brokers) => work(brokers).catch(asNoAuthorizer))

  const tell = (what: string, request: BrokerRequest<unknown>): Promise<unknown> =>
    ask(what, (brokers) => brokers.ask('controller', request))
  const { knownNowhere, knownEverywhere, areKnownNowhere } = whatBrokersKnow(ask)

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    await pollUntil(holds, { ...SPREAD, what }).catch((error: unknown) => {
      throw hasCode(error, 'kit.timeout') ? brokerUnavailable(what, error) : error
    })
  }

  return {
    list: () =>
      ask('read ACLs', async (brokers) => (await describe(brokers, 'any', null)).flatMap(toAcl)),

    async allow(acls) {
      for (const some of slicesOf(acls)) {
        await tell('make ACLs', requestOf(createAclsV3.api, some.map(toEntry)))
        await until('show new ACLs', () => knownEverywhere(some))
      }
    },

    async revoke(acls) {
      for (const some of slicesOf(acls)) {
        if (await areKnownNowhere(some)) continue
        await tell('revoke ACLs', requestOf(deleteAclsV3.api, some.map(toEntry)))
        await until('remove ACLs', () => areKnownNowhere(some))
      }
    },

    async disallow(principals) {
      for (const some of slicesOf(principals)) {
        if (await knownNowhere(some)) continue
        const filters = some.map((principal) => ({ ...EVERYTHING, principal }))
        await tell('remove ACLs', requestOf(deleteAclsV3.api, filters))
        await until('remove ACLs', () => knownNowhere(some))
      }
    },

    close: () => calls.close(),
  }
}

type Ask = <T>(what: string, work: BrokerCall<T>) => Promise<T>

function whatBrokersKnow(ask: Ask) {
  /** Returns the entries that each broker reports for one principal, or for all if it is null. */
  const seenEverywhere = (principal: string | null): Promise<Entry[][]> =>
    ask('read ACLs', async (brokers) => {
      const { brokers: ids } = await brokers.describe([])
      return Promise.all(ids.map((id) => describe(brokers, id, principal)))
    })

  async function knownNowhere(principals: readonly string[]): Promise<boolean> {
    const seen = await seenEverywhere(about(principals))
    const wanted = new Set(principals)
    return !seen.flat().some(({ principal }) => wanted.has(principal))
  }

  async function knownEverywhere(acls: readonly Acl[]): Promise<boolean> {
    const principals = [...new Set(acls.map(({ principal }) => principal))]
    const seen = await seenEverywhere(about(principals))
    const wanted = acls.map(nameOf)
    return seen.every((entries) => {
      const known = new Set(entries.flatMap(toAcl).map(nameOf))
      return wanted.every((name) => known.has(name))
    })
  }

  async function areKnownNowhere(acls: readonly Acl[]): Promise<boolean> {
    const principals = [...new Set(acls.map(({ principal }) => principal))]
    const seen = (await seenEverywhere(about(principals))).flat().flatMap(toAcl).map(nameOf)
    const unwanted = new Set(acls.map(nameOf))
    return !seen.some((name) => unwanted.has(name))
  }

  return { knownNowhere, knownEverywhere, areKnownNowhere }
}

/**
 * Returns the principal if there is only one, or null to ask for all. A broker searches all its ACLs for each request.
 */
const about = (principals: readonly string[]): string | null =>
  principals.length === 1 ? (principals[0] ?? null) : null

async function describe(
  brokers: KafkaBrokers,
  target: number | 'any',
  principal: string | null,
): Promise<Entry[]> {
  const filter = { ...EVERYTHING, principal }
  const { resources } = await brokers.ask(target, requestOf(describeAclsV3.api, filter))
  return resources.flatMap(({ acls, ...resource }) => acls.map((acl) => ({ ...resource, ...acl })))
}

const toEntry = ({ principal, resource, name, pattern, operation }: Acl): Entry => ({
  resourceType: RESOURCE[resource],
  resourceName: name,
  resourcePatternType: PATTERN[pattern],
  principal,
  host: EVERY_HOST,
  operation: OPERATION[operation],
  permissionType: AclPermissionTypes.ALLOW,
})

/** Returns an empty list for an entry of another form. */
function toAcl(entry: Entry): Acl[] {
  const { principal, resourceName, host, permissionType } = entry
  const isAllowed = permissionType === AclPermissionTypes.ALLOW && host === EVERY_HOST
  const operation = keyOf(OPERATION, entry.operation)
  const resource = keyOf(RESOURCE, entry.resourceType)
  const pattern = keyOf(PATTERN, entry.resourcePatternType)
  if (!isAllowed || resource === undefined || pattern === undefined || operation === undefined)
    return []
  return [{ principal, resource, name: resourceName, pattern, operation }]
}

function keyOf<Key extends string>(table: Record<Key, number>, code: number): Key | undefined {
  for (const key in table) if (table[key] === code) return key
  return undefined
}

const nameOf = ({ principal, resource, name, pattern, operation }: Acl): string =>
  [principal, resource, name, pattern, operation].join('\n')

function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const slices: Item[][] = []
  for (let start = 0; start < items.length; start += AT_ONCE_MAX)
    slices.push(items.slice(start, start + AT_ONCE_MAX))
  return slices
}

function asNoAuthorizer(error: unknown): never {
  if (protocolTypeOf(error) !== 'SECURITY_DISABLED') throw error
  throw new KafkaError(
    'kafka.no_authorizer',
    'Kafka has no authorizer: any client that reaches it can read everything',
    {
      cause: error,
    },
  )
}
