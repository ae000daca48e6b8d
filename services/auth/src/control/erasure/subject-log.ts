// Reads a data subject's links from `weir.subjects` on request: for each term with keys, the one partition of the data
// subject, in the time of the term. Keeps only the result in memory. No record, error or log line contains the data
// subject.
import type { TermKeys } from '@weir/fieldcrypt'
import type { Refusal } from '@weir/http-api'
import { termEndMs, termStartMs } from '@weir/fieldcrypt'
import { createTurns, takingTurns } from '@weir/kit'
import type { LogOffsets, RangeReader } from '@weir/kafka'
import {
  checkSubjectLink,
  linkIn,
  quotasOf,
  subjectPartitionOf,
  subjectPrefix,
  subjectsTopic,
} from '@weir/control-state'
import { exceeded } from '../quotas.ts'
import { openableIn, subjectTerms } from './data-subjects.ts'
import type { LinksByTerm } from './erase.ts'
import type { InputStream, StateFollower } from '@weir/control-state'
import type { WriteTombstones } from '../tombstones.ts'
import { refusal } from '../../errors.ts'

export type FoundTerm = {
  readonly term: number
  readonly partition: number
  /** The links by the key of their record. */
  readonly links: ReadonlyMap<string, Uint8Array>
}

export type SubjectLog = {
  /**
   * Returns the terms with links under which fields can be decrypted; with `evenErased`, those with any links.
   * @throws Refusal `unavailable` if the keys of a term can't be read, `quota_exceeded`
   */
  find(
    stream: InputStream,
    subject: string,
    options?: { readonly evenErased: boolean },
  ): Promise<readonly FoundTerm[]>
  /**
   * Returns all stored links, even if no field under them can be decrypted. Call `start` first.
   * @throws Refusal `unavailable`
   */
  links(stream: InputStream, subject: string): Promise<LinksByTerm>
  /**
   * Counts a look-up of the account until the returned function is called.
   * @throws Refusal `quota_exceeded`
   */
  start(billingId: string): () => void
  /** Deletes the records of the links, after the people are erased. */
  forget(found: readonly FoundTerm[]): Promise<void>
}

/** Longer than clock differences between replicas, and than the delay of an event. */
const aroundMs = 24 * 3_600_000
/** How many look-ups of all accounts run at the same time. */
const atOnceMax = 4

type SubjectLogDeps = {
  readonly offsets: Pick<LogOffsets, 'at'>
  readonly reader: Pick<RangeReader, 'read'>
  readonly follower: Pick<StateFollower, 'keyring' | 'keyStore' | 'tables'>
  readonly write: WriteTombstones
}

export function createSubjectLog(deps: SubjectLogDeps): SubjectLog {
  const { write } = deps
  const start = createLookUps(deps)
  const inTurn = createTurns(atOnceMax)
  return {
    async find(stream, subject, { evenErased } = { evenErased: false }) {
      const end = start(stream.billingId)
      const request = { stream, subject, evenErased }
      return inTurn(() => findAll(deps, request)).finally(end)
    },
    async links(stream, subject) {
      const found = await inTurn(() => findAll(deps, { stream, subject, evenErased: true }))
      return new Map(found.map(({ term, links }) => [term, [...links.values()]]))
    },
    start,
    forget: (found) =>
      write(
        found.flatMap(({ partition, links }) =>
          [...links.keys()].map((key) => ({ topic: subjectsTopic, partition, key })),
        ),
      ),
  }
}

type Wanted = {
  readonly stream: InputStream
  readonly subject: string
  readonly evenErased: boolean
}

async function findAll(deps: SubjectLogDeps, wanted: Wanted): Promise<readonly FoundTerm[]> {
  const { follower } = deps
  const { billingId, streamId } = wanted.stream
  const found: FoundTerm[] = []
  for (const term of subjectTerms(follower, wanted.stream)) {
    const keys = follower.keyring.termKeys(billingId, streamId, term)
    if (keys === undefined) throw unreadable()
    const inTerm = await linksOf(deps, keys, wanted)
    if (inTerm.links.size > 0) found.push(inTerm)
  }
  return found
}

/** Limits look-ups per account, because they read partitions that all accounts share. */
function createLookUps({ follower }: Pick<SubjectLogDeps, 'follower'>) {
  const atOnce = new Map<string, number>()
  return (billingId: string): (() => void) => {
    const count = atOnce.get(billingId) ?? 0
    const { lookUps } = quotasOf(follower.tables.account(billingId) ?? {})
    if (count >= lookUps)
      throw exceeded('lookUps', `The account may search for ${lookUps} people at a time`)
    atOnce.set(billingId, count + 1)
    return () => {
      const left = (atOnce.get(billingId) ?? 1) - 1
      if (left > 0) atOnce.set(billingId, left)
      else atOnce.delete(billingId)
    }
  }
}

async function linksOf(
  { offsets, reader, follower }: SubjectLogDeps,
  keys: TermKeys,
  { stream, subject, evenErased }: Wanted,
): Promise<FoundTerm> {
  const { term, link } = keys
  if (link === undefined) throw unreadable()
  const hash = link.subjectHash(subject)
  const prefix = subjectPrefix(keys, hash)
  const partition = subjectPartitionOf(hash)
  const [from, to] = await Promise.all([
    offsets.at(subjectsTopic, termStartMs(term) - aroundMs),
    offsets.at(subjectsTopic, termEndMs(term) + aroundMs),
  ])
  const range = { topic: subjectsTopic, partition, from: from[partition] ?? 0n }
  const links = new Map<string, Uint8Array>()
  await reader.read({ ...range, to: to[partition] ?? 0n }, (records) => {
    for (const { key: bytes, value } of records) {
      const key = bytes?.toString('utf8') ?? ''
      if (!key.startsWith(prefix)) continue
      if (value !== null) checkSubjectLink(key, value)
      const found = linkIn(key, prefix, link)
      if (value === null || found === undefined) links.delete(key)
      else links.set(key, found)
    }
  })
  if (evenErased) return { term, partition, links }
  // The tombstone of an erased link may be after the range that was read.
  const isOpenable = openableIn(follower, stream, keys)
  const turn = takingTurns()
  for (const [key, each] of links) {
    if (!isOpenable(each)) links.delete(key)
    await turn()
  }
  return { term, partition, links }
}

const unreadable = (): Refusal =>
  refusal('unavailable', 'The keys of a term cannot be read now; try again')
