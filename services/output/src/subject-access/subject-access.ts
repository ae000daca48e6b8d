// `GET …/subject-access`: sends a person's events to the holder of a token that auth issued for this person. A token
// permits one download per replica. Erasures wait until decrypted values are on their way to the client, so a client
// that doesn't read is disconnected.
import { bearerOf, levelsInTerm, openPerson, secretHashOf, topicOf } from '@weir/control-state'
import type { AccessTrace, InputStream, SubjectAccessRecord } from '@weir/control-state'
import { invalid } from '@weir/http-api'
import type { Call, RouteHandler, Write } from '@weir/http-api'
import type { LogOffsets, RangeReader } from '@weir/kafka'
import { takingTurns } from '@weir/kit'
import { targetOf } from '../access/audit-target.ts'
import { deriveDepsOf } from '../derive/derivation.ts'
import type { DerivationDeps } from '../derive/derivation.ts'
import { knownSoon } from '../derive/known-soon.ts'
import type { LevelsAllowed } from '../derive/levels.ts'
import { refusal } from '../errors.ts'
import { linesOf } from './event-lines.ts'
import type { AccessFormat, Lines, PersonEvent } from './event-lines.ts'
import { matchingEvents } from './person-events.ts'
import type { PersonEventOf } from './person-events.ts'

export type SubjectAccessDeps = DerivationDeps & {
  readonly levels: LevelsAllowed
  readonly offsets: Pick<LogOffsets, 'earliest' | 'ends'>
  readonly reader: RangeReader
  readonly trace: Pick<AccessTrace, 'read'>
  isStopping(): boolean
}

const longestMs = 3_600_000
const atOnceMax = 4
const chunkLength = 65_536

export function downloadEvents(deps: SubjectAccessDeps): RouteHandler {
  const used = createUsed(deps.now)
  const start = createDownloads()
  return async (call) => {
    const lines = linesOf[formatOf(call)]()
    const isWanted = wantedOf(call)
    const { access, token, input } = await grantedTo(deps, call)
    if (used.has(access)) throw notGranted()
    const end = start(access.billingId)
    used.add(access)
    try {
      const ranges = await rangesOf(deps, input)
      await tellAudit(deps, { access, input, call })
      const asked = { ...access, input, ...openPerson(token, access.sealedPerson) }
      const derive = deriveDepsOf(deps, input)
      const levelsIn = levelsOfTerms(deps, input)
      const titles = titlesIn(deps, access)
      const eventOf = matchingEvents(derive, { asked, allowed: deps.levels, levelsIn, titles })
      const stream = (write: Write): Promise<void> =>
        send(deps, { ranges, eventOf, isWanted, lines }, write).finally(end)
      return { status: 200, headers: { 'content-type': lines.contentType }, body: { stream } }
    } catch (error) {
      end()
      throw error
    }
  }
}

function formatOf(call: Call): AccessFormat {
  const format = call.query('format') ?? 'ndjson'
  if (format === 'ndjson' || format === 'csv') return format
  throw invalid(['format must be ndjson or csv'])
}

const leftOut: readonly string[] = ['other', 'linked', 'encrypted']

/** `without=other,linked` leaves out the events that name somebody else, and those that name nobody. */
function wantedOf(call: Call): (event: PersonEvent) => boolean {
  const without = call.query('without')?.split(',') ?? []
  if (!without.every((person) => leftOut.includes(person)))
    throw invalid([`without must be one or more of ${leftOut.join(', ')}, separated by commas`])
  return ({ person = '' }) => !without.includes(person)
}

type Granted = {
  readonly access: SubjectAccessRecord
  readonly token: string
  readonly input: InputStream
}

/** @throws Refusal `invalid_access_token`, `unavailable` */
async function grantedTo({ follower, now }: SubjectAccessDeps, call: Call): Promise<Granted> {
  if (!follower.isFresh()) throw notFresh()
  const token = bearerOf(call.header('authorization')) ?? ''
  const hash = secretHashOf(token)
  if (follower.tables.subjectAccess(hash) === undefined) await follower.refresh()
  const access = follower.tables.subjectAccess(hash)
  const input = access && follower.tables.streamById(access.streamId)
  if (access === undefined || input?.kind !== 'input' || input.name !== call.param('stream'))
    throw notGranted()
  const { apiKeys = [] } = follower.tables.account(access.billingId) ?? {}
  const isKeyThere = apiKeys.some(({ keyId }) => keyId === access.askedBy.keyId)
  if (access.expiresAtMs <= now() || !isKeyThere) throw notGranted()
  return { access, token, input }
}

const notGranted = () =>
  refusal(
    'invalid_access_token',
    'The access token is unknown, expired, used already, or for another stream; ask auth for a new one',
  )
const notFresh = () =>
  refusal('unavailable', 'Control state is not available; try again in a moment')

/** Remembers the tokens that were used on this replica until they expire. */
function createUsed(now: () => number) {
  const used = new Map<string, number>()
  return {
    has: ({ accessHash }: SubjectAccessRecord): boolean => used.has(accessHash),
    add({ accessHash, expiresAtMs }: SubjectAccessRecord): void {
      for (const [hash, atMs] of used) if (atMs <= now()) used.delete(hash)
      used.set(accessHash, expiresAtMs)
    },
  }
}

/** Limits downloads, because each reads a whole topic: one per account, and a few per replica. */
function createDownloads() {
  const running = new Set<string>()
  return (billingId: string): (() => void) => {
    if (running.has(billingId) || running.size >= atOnceMax)
      throw refusal('busy', 'Another download is in progress; try again when it is done')
    running.add(billingId)
    return () => void running.delete(billingId)
  }
}

type Told = {
  readonly access: SubjectAccessRecord
  readonly input: InputStream
  readonly call: Call
}

function tellAudit({ trace }: SubjectAccessDeps, { access, input, call }: Told): Promise<void> {
  const { billingId, askedBy } = access
  const actor = { kind: 'account', billingId, ...askedBy, requestId: call.requestId } as const
  call.isFrom(billingId, actor)
  return trace.read({ action: 'read.subject', actor, target: targetOf(input) })
}

function titlesIn({ follower }: SubjectAccessDeps, { billingId }: SubjectAccessRecord) {
  const { purposes = [] } = follower.tables.account(billingId) ?? {}
  return new Map(purposes.map(({ level, title }) => [level, title]))
}

/** Caches the levels, because they are needed for each event of the person. */
function levelsOfTerms({ follower }: SubjectAccessDeps, input: InputStream) {
  const known = new Map<number, readonly number[]>()
  return (term: number): readonly number[] => {
    const levels = known.get(term) ?? levelsInTerm(follower.keyStore, { ...input, term })
    known.set(term, levels)
    return levels
  }
}

type Range = Parameters<RangeReader['read']>[0]

async function rangesOf({ offsets }: SubjectAccessDeps, input: InputStream): Promise<Range[]> {
  const topic = topicOf(input)
  const starts = await offsets.earliest(topic)
  const ends = await offsets.ends(topic, { isolation: 'read_committed' })
  return ends.map((to, partition) => ({ topic, partition, from: starts[partition] ?? 0n, to }))
}

type Sending = {
  readonly ranges: readonly Range[]
  readonly eventOf: PersonEventOf
  readonly isWanted: (event: PersonEvent) => boolean
  readonly lines: Lines
}

async function send(
  deps: SubjectAccessDeps,
  { ranges, eventOf, isWanted, lines }: Sending,
  write: Write,
): Promise<void> {
  const { follower, openings, reader } = deps
  const end = performance.now() + longestMs
  const turn = takingTurns()
  const out = createChunks(openings, write)
  if (lines.head !== '') await write(Buffer.from(lines.head))
  try {
    for (const range of ranges)
      await reader.read(range, async (records) => {
        for (const record of records) {
          if (!follower.isFresh()) throw notFresh()
          out.opening()
          const event = await knownSoon(follower, () => eventOf(record))
          if (event !== undefined && isWanted(event)) await out.add(lines.line(event))
          await turn()
        }
        await out.flush()
        if (performance.now() >= end) throw refusal('unavailable', 'It took longer than an hour')
        if (deps.isStopping()) throw refusal('unavailable', 'This replica is shutting down')
        return true
      })
  } finally {
    out.close()
  }
}

/** Tracks text with decrypted values, from before the decryption until the text is written. */
function createChunks({ begin }: SubjectAccessDeps['openings'], write: Write) {
  let text = ''
  let over: (() => void) | undefined
  const close = (): void => {
    over?.()
    over = undefined
  }
  async function flush(): Promise<void> {
    const chunk = text
    text = ''
    if (chunk !== '') await write(Buffer.from(chunk))
    close()
  }
  return {
    opening: () => void (over ??= begin()),
    async add(line: string): Promise<void> {
      text += line
      if (text.length >= chunkLength) await flush()
    },
    flush,
    close,
  }
}
