// Grants and revokes Kafka access for a stream's credentials (docs/adr/0026-analysts-kafka.md), and for ingest and
// output if they have their own principals (docs/adr/0028-keks-and-rotation.md). Kafka has no transaction over ACLs and
// control state, and any replica of auth may change them, so the order matters. A grant follows the change of control
// state, and then checks that control state still permits it. A revocation precedes the change, and is repeated after
// it. `settle` corrects what a crash leaves behind.
import { hasCode } from '@weir/kit'
import { refusal } from '../../errors.ts'
import type { Log } from '@weir/kit'
import type { Acl, Acls } from '@weir/kafka'
import type { StateFollower, StreamRecord } from '@weir/control-state'
import { aclsOf, differenceOf, principalOf } from './read-acls.ts'
import { serviceAclsOf, serviceDifferenceOf } from './service-acls.ts'
import type { ServicePrincipals } from './service-acls.ts'

/** Each function throws KafkaError `kafka.unavailable` or `kafka.refused` if Kafka fails. */
export type ReadAccess = {
  /** Resolves when the services may use a stream's topics. */
  serve(stream: StreamRecord): Promise<void>
  /** Resolves when a stream's credentials may read what control state permits. */
  grant(stream: Pick<StreamRecord, 'billingId' | 'name'>): Promise<void>
  /** Resolves when these clients may read nothing at any broker. */
  revoke(clientIds: readonly string[]): Promise<void>
  /** Resolves when no service may use topics of this name. Call after the topics are deleted. */
  forget(stream: StreamRecord): Promise<void>
  /** Grants missing rights, and revokes leftover ones of principals that Weir manages. */
  settle(): Promise<void>
}

/** For brokers whose ACLs Weir does not manage. */
export const noReadAccess: ReadAccess = {
  serve: async () => {},
  grant: async () => {},
  revoke: async () => {},
  forget: async () => {},
  settle: async () => {},
}

export type ReadAccessOptions = {
  readonly acls: Pick<Acls, 'list' | 'allow' | 'revoke' | 'disallow'>
  readonly follower: Pick<StateFollower, 'tables' | 'catchUp'>
  readonly log: Log
  readonly principals: ServicePrincipals
  /** If false, brokers without an authorizer cause only one warning. */
  readonly isRequired: boolean
}

export function createReadAccess(options: ReadAccessOptions): ReadAccess {
  const { acls, follower, principals } = options
  const { tables } = follower
  const whereThereIsOne = unlessNoAuthorizer(options)
  return {
    serve: (stream) =>
      whereThereIsOne(() => allowServices(options, serviceAclsOf(principals, stream))),
    grant: ({ billingId, name }) =>
      whereThereIsOne(async () => {
        const stream = tables.stream(billingId, name)
        if (stream !== undefined) await allow(options, aclsOf(stream))
      }),
    revoke: (clientIds) =>
      whereThereIsOne(async () => {
        await acls.disallow(clientIds.map(principalOf))
      }),
    forget: (stream) =>
      whereThereIsOne(async () => {
        const held = serviceAclsOf(principals, stream)
        if (held.length > 0) await acls.revoke(held)
      }),
    settle: () => whereThereIsOne(() => settle(options)),
  }
}

async function settle(options: ReadAccessOptions): Promise<void> {
  const { acls, follower, log } = options
  // Lists the ACLs first, so that the tables then contain the record of each ACL found.
  const found = await acls.list()
  await follower.catchUp()
  await settleServices(options, found)
  const { stale, missing } = differenceOf(found, follower.tables.streams())
  if (stale.length + missing.length === 0) return
  await acls.disallow(stale)
  await allow(options, missing)
  log.info(
    { revoked: stale.length, granted: missing.length },
    'the rights of streams in Kafka were corrected',
  )
}

/** Grants access, and revokes the access that control state no longer permits. */
async function allow({ acls, follower }: ReadAccessOptions, wanted: readonly Acl[]): Promise<void> {
  if (wanted.length === 0) return
  await acls.allow(wanted)
  await follower.catchUp()
  const still = new Set(
    [...follower.tables.streams()].flatMap(aclsOf).map(({ principal }) => principal),
  )
  const principals = new Set(wanted.map(({ principal }) => principal))
  await acls.disallow([...principals].filter((principal) => !still.has(principal)))
}

async function settleServices(options: ReadAccessOptions, found: readonly Acl[]): Promise<void> {
  const { acls, follower, principals, log } = options
  const { stale, missing } = serviceDifferenceOf(principals, found, follower.tables.streams())
  if (stale.length + missing.length === 0) return
  if (stale.length > 0) await acls.revoke(stale)
  await allowServices(options, missing)
  log.info(
    { revoked: stale.length, granted: missing.length },
    'the rights of the services in Kafka were corrected',
  )
}

/**
 * Grants rights to services. Revokes those of a stream that was deleted meanwhile, because another stream may get its
 * name.
 */
async function allowServices(
  { acls, follower, principals }: ReadAccessOptions,
  wanted: readonly Acl[],
): Promise<void> {
  if (wanted.length === 0) return
  await acls.allow(wanted)
  await follower.catchUp()
  const { stale } = serviceDifferenceOf(principals, wanted, follower.tables.streams())
  if (stale.length > 0) await acls.revoke(stale)
}

/**
 * Returns a function that runs work on ACLs. Without an authorizer, the function warns once; it throws if one is
 * required.
 */
function unlessNoAuthorizer({
  isRequired,
  log,
}: ReadAccessOptions): (work: () => Promise<void>) => Promise<void> {
  let wasTold = false
  return async (work) => {
    try {
      await work()
    } catch (error) {
      if (!hasCode(error, 'kafka.no_authorizer')) throw error
      if (isRequired) throw refusal('refused', error.message, { cause: error })
      if (!wasTold)
        log.warn(
          'Kafka has no authorizer, so any client that reaches its brokers can read and write everything',
        )
      wasTold = true
    }
  }
}

export type Revoking = {
  readonly access: Pick<ReadAccess, 'revoke'>
  /** Triggers the next check of the credentials' rights. */
  readonly accessSoon: () => void
  readonly log: Log
}

/** Runs a change that ends credentials' rights to read. Revokes the rights in Kafka before and after the change. */
export async function revokingAccess<Answer>(
  deps: Revoking,
  clientIds: readonly string[],
  change: () => Promise<Answer>,
): Promise<Answer> {
  const { access, accessSoon, log } = deps
  try {
    await access.revoke(clientIds)
    const answer = await change()
    // A replica that did not know the change yet may have granted the rights again.
    await access.revoke(clientIds).catch((error: unknown) => {
      log.warn(
        { err: error },
        'the rights could not be revoked in Kafka a second time; auth tries again later',
      )
      accessSoon()
    })
    return answer
  } catch (error) {
    // Credentials that still exist get their rights back.
    accessSoon()
    throw error
  }
}

export const clientIdsOf = (streams: readonly StreamRecord[]): string[] =>
  streams.flatMap(({ credentials }) => credentials.map(({ clientId }) => clientId))
