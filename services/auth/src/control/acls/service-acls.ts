// The rights of ingest and output in Kafka, as ACLs of their principals. Each service gets only the rights for its own
// work, so that an attacker who controls one can't do the work of the other (docs/operations.md, Kafka's access rules).
// Topic names don't distinguish input streams from derived ones. So the ACLs have literal names, and are created and
// removed with the streams.
import type { Acl } from '@weir/kafka'
import {
  accessesTopic,
  controlTopic,
  countsTopic,
  deadLetterTopicOf,
  groupOf,
  keysTopic,
  replicasTopic,
  subjectsTopic,
  topicOf,
  TRANSACTIONAL_ID_PREFIX,
  usageTopic,
} from '@weir/control-state'
import { aclNameOf } from './read-acls.ts'
import type { StreamRecord } from '@weir/control-state'

/** The principals in Kafka's notation. A service without one gets no rights. */
export type ServicePrincipals = {
  readonly ingest: string | undefined
  readonly output: string | undefined
}

type Right = Omit<Acl, 'principal'>

const topic = (operation: 'read' | 'write', name: string): Right => {
  return { resource: 'topic', name, pattern: 'literal', operation }
}
const group = (name: string): Right => {
  return { resource: 'group', name, pattern: 'literal', operation: 'read' }
}

/**
 * Rights that don't depend on streams. auth's own transactional ids have other prefixes, so output can't fence auth.
 */
const STANDING: Readonly<Record<keyof ServicePrincipals, readonly Right[]>> = {
  ingest: [
    ...[controlTopic, keysTopic, replicasTopic, countsTopic].map((name) => topic('read', name)),
    ...[replicasTopic, countsTopic, usageTopic, subjectsTopic].map((name) => topic('write', name)),
  ],
  output: [
    ...[controlTopic, keysTopic, replicasTopic].map((name) => topic('read', name)),
    ...[replicasTopic, accessesTopic].map((name) => topic('write', name)),
    {
      resource: 'transactionalId',
      name: TRANSACTIONAL_ID_PREFIX,
      pattern: 'prefixed',
      operation: 'write',
    },
  ],
}

const rightsIn = (stream: StreamRecord): Readonly<Record<keyof ServicePrincipals, Right[]>> => {
  const own = topicOf(stream)
  if (stream.kind === 'input')
    return { ingest: [topic('write', own)], output: [topic('read', own)] }
  const topics = [own, deadLetterTopicOf(stream)]
  const output = topics.flatMap((name) => [topic('read', name), topic('write', name)])
  return { ingest: [], output: [...output, group(groupOf(stream))] }
}

function granted(
  principals: ServicePrincipals,
  rights: Readonly<Record<keyof ServicePrincipals, readonly Right[]>>,
): Acl[] {
  const of = (principal: string | undefined, those: readonly Right[]): Acl[] =>
    principal === undefined ? [] : those.map((right) => ({ ...right, principal }))
  return [...of(principals.ingest, rights.ingest), ...of(principals.output, rights.output)]
}

export const serviceAclsOf = (principals: ServicePrincipals, stream: StreamRecord): Acl[] =>
  granted(principals, rightsIn(stream))

export type ServiceDifference = { readonly stale: readonly Acl[]; readonly missing: readonly Acl[] }

/**
 * Rights that these principals don't need are `stale`, because only Weir manages these principals. The rights on a
 * stream that is being deleted stay: the clean-up revokes them after deleting the topics.
 */
export function serviceDifferenceOf(
  principals: ServicePrincipals,
  found: readonly Acl[],
  streams: Iterable<StreamRecord>,
): ServiceDifference {
  const ours = found.filter(({ principal }) => Object.values(principals).includes(principal))
  const known = new Set(ours.map(aclNameOf))
  const wanted = granted(principals, STANDING)
  const allowed = new Set<string>()
  for (const stream of streams) {
    const acls = serviceAclsOf(principals, stream)
    if (stream.state !== 'deleting') wanted.push(...acls)
    for (const acl of acls) allowed.add(aclNameOf(acl))
  }
  for (const acl of wanted) allowed.add(aclNameOf(acl))
  return {
    stale: ours.filter((acl) => !allowed.has(aclNameOf(acl))),
    missing: wanted.filter((acl) => !known.has(aclNameOf(acl))),
  }
}
