// Computes the ACLs for reading a stream with Kafka clients, and their difference from the ACLs in Kafka. No I/O.
import type { Acl } from '@weir/kafka'
import type { Credential, StreamRecord } from '@weir/control-state'
import { topicOf } from '@weir/control-state'

/** Kafka uses a token's `sub` as the name of the principal. */
export const principalOf = (clientId: string): string => `User:${clientId}`

/**
 * Returns the ACLs of a stream's topic, and of consumer groups whose ids start with the clientId. The group ACLs come
 * first, because they identify a principal as Weir's: no topic ACL may exist without a group ACL.
 */
export function aclsOf(stream: StreamRecord): Acl[] {
  if (!stream.enabled || stream.state === 'deleting') return []
  return stream.credentials
    .filter((credential) => mayRead(stream, credential))
    .flatMap(({ clientId }) => {
      const principal = principalOf(clientId)
      return [
        { principal, resource: 'group', name: clientId, pattern: 'prefixed', operation: 'read' },
        {
          principal,
          resource: 'topic',
          name: topicOf(stream),
          pattern: 'literal',
          operation: 'read',
        },
      ] as const
    })
}

/**
 * Of an input stream, only credentials with the sole scope `listen` may read. Other credentials belong to producers,
 * who must not read stored events.
 */
function mayRead({ kind }: StreamRecord, { scope }: Credential): boolean {
  return scope.includes('listen') && (kind === 'derived' || !scope.includes('send'))
}

export type Difference = {
  /** Principals that have an ACL of Weir, but may not read any more. */
  readonly stale: readonly string[]
  readonly missing: readonly Acl[]
}

/** Leaves out ACLs of principals that Weir doesn't manage. */
export function differenceOf(found: readonly Acl[], streams: Iterable<StreamRecord>): Difference {
  const known = new Set(found.map(aclNameOf))
  const allowed = new Set<string>()
  const missing: Acl[] = []
  for (const stream of streams) {
    for (const acl of aclsOf(stream)) {
      allowed.add(acl.principal)
      // A stream gets its ACLs during its creation. Before `ready`, no client has its credentials.
      if (stream.state === 'ready' && !known.has(aclNameOf(acl))) missing.push(acl)
    }
  }
  const ours = new Set(found.filter(isMark).map(({ principal }) => principal))
  return { stale: [...ours].filter((principal) => !allowed.has(principal)), missing }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether only Weir creates such an ACL: for groups whose ids start with the principal's clientId, a UUID. */
const isMark = ({ principal, resource, name, pattern }: Acl): boolean =>
  resource === 'group' &&
  pattern === 'prefixed' &&
  uuid.test(name) &&
  principal === principalOf(name)

export const aclNameOf = ({ principal, resource, name, pattern, operation }: Acl): string =>
  [principal, resource, name, pattern, operation].join('\n')
