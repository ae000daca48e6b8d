// What a stream's credentials may read with Kafka clients, as ACLs, and the differences from Kafka's ACLs. Plain data,
// no I/O.
import type { Acl } from '@weir/kafka'
import type { Credential, StreamRecord } from '@weir/control-state'
import { topicOf } from '@weir/control-state'

/** Kafka uses a token's `sub` as the name of the principal. */
export const principalOf = (clientId: string): string => `User:${clientId}`

/**
 * The ACLs of a stream's topic, and of consumer groups whose ids start with the clientId. The groups come first: they
 * identify an ACL as ours, so a topic ACL must never exist without them.
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
 * For an input stream, only credentials that have nothing but the scope to listen: other credentials are in the hands
 * of producers, who must not read what was stored before.
 */
function mayRead({ kind }: StreamRecord, { scope }: Credential): boolean {
  return scope.includes('listen') && (kind === 'derived' || !scope.includes('send'))
}

export type Difference = {
  /** Clients with an ACL of ours that may not read any more. */
  readonly stale: readonly string[]
  readonly missing: readonly Acl[]
}

/** ACLs that aren't ours, and those of other principals, stay as they are. */
export function differenceOf(found: readonly Acl[], streams: Iterable<StreamRecord>): Difference {
  const known = new Set(found.map(aclNameOf))
  const allowed = new Set<string>()
  const missing: Acl[] = []
  for (const stream of streams) {
    for (const acl of aclsOf(stream)) {
      allowed.add(acl.principal)
      // A stream that is being created gets its ACLs by its creation; until then nobody knows it.
      if (stream.state === 'ready' && !known.has(aclNameOf(acl))) missing.push(acl)
    }
  }
  const ours = new Set(found.filter(isMark).map(({ principal }) => principal))
  return { stale: [...ours].filter((principal) => !allowed.has(principal)), missing }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Only Weir creates this ACL: on groups that are named after a principal that is a UUID. */
const isMark = ({ principal, resource, name, pattern }: Acl): boolean =>
  resource === 'group' &&
  pattern === 'prefixed' &&
  uuid.test(name) &&
  principal === principalOf(name)

export const aclNameOf = ({ principal, resource, name, pattern, operation }: Acl): string =>
  [principal, resource, name, pattern, operation].join('\n')
