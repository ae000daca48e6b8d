// What a stream's credentials may read with Kafka clients of their own, as ACLs, and what differs from it in
// Kafka. Plain data; nothing here asks anybody.
import type { Acl } from '@weir/kafka'
import type { Credential, StreamRecord } from '@weir/control-state'
import { topicOf } from '@weir/control-state'

/** A token's `sub` is what Kafka takes for the name of who comes with it. */
export const principalOf = (clientId: string): string => `User:${clientId}`

/**
 * A stream's topic, and consumer groups whose ids begin with the clientId. The groups come first: they are
 * what an ACL of ours is known by, so there must be no topic without them.
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
 * Of an input stream, only credentials that were made to listen and for nothing else: the usual ones are in the
 * hands of producers, who have no business with what was stored before.
 */
function mayRead({ kind }: StreamRecord, { scope }: Credential): boolean {
  return scope.includes('listen') && (kind === 'derived' || !scope.includes('send'))
}

export type Difference = {
  /** Who may read something by our doing, and mustn't. */
  readonly stale: readonly string[]
  readonly missing: readonly Acl[]
}

/** ACLs of others, and of others' principals, are left alone. */
export function differenceOf(found: readonly Acl[], streams: Iterable<StreamRecord>): Difference {
  const known = new Set(found.map(nameOf))
  const allowed = new Set<string>()
  const missing: Acl[] = []
  for (const stream of streams) {
    for (const acl of aclsOf(stream)) {
      allowed.add(acl.principal)
      // Who makes a stream gives it its ACLs; until then nobody knows of it.
      if (stream.state === 'ready' && !known.has(nameOf(acl))) missing.push(acl)
    }
  }
  const ours = new Set(found.filter(isMark).map(({ principal }) => principal))
  return { stale: [...ours].filter((principal) => !allowed.has(principal)), missing }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What nobody but us would make: groups named after a principal that is a UUID. */
const isMark = ({ principal, resource, name, pattern }: Acl): boolean =>
  resource === 'group' &&
  pattern === 'prefixed' &&
  uuid.test(name) &&
  principal === principalOf(name)

export const nameOf = ({ principal, resource, name, pattern, operation }: Acl): string =>
  [principal, resource, name, pattern, operation].join('\n')
