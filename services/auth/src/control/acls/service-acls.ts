// What ingest and output may do in Kafka, as ACLs of the principals they log in under: their own work and nothing
// else, so that whoever takes one over can't do another's (docs/operations.md, Kafka's access rules). Names of topics
// don't tell input streams from derived ones, so these are literal and come and go with the streams. Plain data.
import type { Acl } from '@weir/kafka'
import { accessesTopic } from '@weir/control-state'
import { nameOf } from './read-acls.ts'
import {
  controlTopic,
  deadLetterTopicOf,
  groupOf,
  keysTopic,
  topicOf,
  TRANSACTIONAL_ID_PREFIX,
} from '@weir/control-state'
import type { StreamRecord } from '@weir/control-state'
import { replicasTopic } from '@weir/control-state'
import { subjectsTopic } from '@weir/control-state'
import { countsTopic, usageTopic } from '@weir/control-state'

/** As Kafka writes them; without one, nothing is granted for that service. */
export type ServicePrincipals = {
  readonly ingest: string | undefined
  readonly output: string | undefined
}

type Right = Omit<Acl, 'principal'>

const topic = (operation: 'read' | 'write', name: string): Right => {
  return { resource: 'topic', name, pattern: 'literal', operation }
}
const groups = (name: string): Right => {
  return { resource: 'group', name, pattern: 'prefixed', operation: 'read' }
}

/** Whatever streams there are. auth's own transactional ids begin otherwise: nobody else can fence it. */
const STANDING: Readonly<Record<keyof ServicePrincipals, readonly Right[]>> = {
  ingest: [
    ...[controlTopic, keysTopic, replicasTopic, countsTopic].map((name) => topic('read', name)),
    ...[replicasTopic, countsTopic, usageTopic, subjectsTopic].map((name) => topic('write', name)),
    groups('weir.table.ingest.'),
    groups('weir.replicas.ingest.'),
  ],
  output: [
    ...[controlTopic, keysTopic].map((name) => topic('read', name)),
    ...[replicasTopic, accessesTopic].map((name) => topic('write', name)),
    groups('weir.table.output.'),
    groups('weir.tail.'),
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
  const group = { ...groups(groupOf(stream)), pattern: 'literal' } as const
  const topics = [own, deadLetterTopicOf(stream)]
  const output = topics.flatMap((name) => [topic('read', name), topic('write', name)])
  return { ingest: [], output: [...output, group] }
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
 * These principals are ours alone: whatever else they may is taken away. Of a stream that is being deleted nothing is
 * made any more, and nothing taken: its clean-up does that once its topics are gone.
 */
export function serviceDifferenceOf(
  principals: ServicePrincipals,
  found: readonly Acl[],
  streams: Iterable<StreamRecord>,
): ServiceDifference {
  const ours = found.filter(({ principal }) => Object.values(principals).includes(principal))
  const known = new Set(ours.map(nameOf))
  const wanted = granted(principals, STANDING)
  const allowed = new Set<string>()
  for (const stream of streams) {
    const acls = serviceAclsOf(principals, stream)
    if (stream.state !== 'deleting') wanted.push(...acls)
    for (const acl of acls) allowed.add(nameOf(acl))
  }
  for (const acl of wanted) allowed.add(nameOf(acl))
  return {
    stale: ours.filter((acl) => !allowed.has(nameOf(acl))),
    missing: wanted.filter((acl) => !known.has(nameOf(acl))),
  }
}
