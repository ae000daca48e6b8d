// Changes the credentials and settings of an existing stream.
import {
  act,
  isDecryptedByReaders,
  newCredential,
  requireAccount,
  requireInput,
  requireOutput,
  streamKey,
} from '@weir/control-state'
import { invalid } from '@weir/http-api'
import { refusal } from '../../errors.ts'
import { noteLentKeys } from './lent-keys.ts'
import type {
  Audited,
  AuditTarget,
  Credential,
  Draft,
  NewCredential,
  Scope,
  Settings,
  StreamRecord,
} from '@weir/control-state'
import { clientIdsOf, revokingAccess } from '../acls/read-access.ts'
import type { ReadAccess, Revoking } from '../acls/read-access.ts'
import type { Changes } from '../changes.ts'
import { requireLimits, requireQuota } from '../quotas.ts'
import type { StreamTopics } from './stream-topics.ts'

const credentialsMax = 20

export type Managing = Changes &
  Revoking & {
    readonly access: Pick<ReadAccess, 'grant'>
    readonly topics: Pick<StreamTopics, 'keepRecords'>
  }

/** The name of a stream in a request. An output is named together with its input. */
export type StreamName = { billingId: string; name: string; input?: string }

/** Without `scope`, the credentials get all scopes that the kind of stream has. */
export async function addCredential(
  deps: Managing,
  target: StreamName,
  scope?: readonly Scope[],
): Promise<NewCredential> {
  const wanted = scope ?? (target.input === undefined ? ['send', 'listen'] : ['listen'])
  const made = newCredential(wanted, deps.now())
  const { clientId } = made.credential
  const what = act(deps, 'credentials.create', { ...targetOf(target), clientId, scope: wanted })
  await changeStream(deps, { what, target }, (current, draft) => {
    requireQuota(draft, requireAccount(draft, target.billingId), { credentials: 1 })
    if (current.credentials.length >= credentialsMax)
      throw refusal(
        'too_many_credentials',
        `A stream has at most ${credentialsMax} credentials; delete some of them first`,
      )
    if (current.kind === 'derived' && wanted.includes('send'))
      throw refusal(
        'invalid_scope',
        'scope must be listen: nothing can be sent to a derived stream',
      )
    return { ...current, credentials: [...current.credentials, made.credential] }
  })
  try {
    await deps.access.grant(target)
  } catch (error) {
    // Removes the new credentials, because the caller gets no secret for them.
    await dropCredential(deps, target, clientId).catch(() => {})
    deps.accessSoon()
    throw error
  }
  return made
}

/** Within a second after this resolves, all services refuse the tokens of the credentials. */
export async function deleteCredential(
  deps: Managing,
  target: StreamName,
  clientId: string,
): Promise<Credential> {
  await deps.writer.change('read', (draft) =>
    requireCredential(requireTarget(draft, target), clientId),
  )
  return revokingAccess(deps, [clientId], () => dropCredential(deps, target, clientId))
}

function dropCredential(deps: Changes, target: StreamName, clientId: string): Promise<Credential> {
  const what = act(deps, 'credentials.delete', { ...targetOf(target), clientId })
  return deps.writer.change(what, (draft) => {
    const current = requireTarget(draft, target)
    const removed = requireCredential(current, clientId)
    const credentials = current.credentials.filter((credential) => credential !== removed)
    draft.put(streamKey(current.billingId, current.name), { ...current, credentials })
    return removed
  })
}

function requireCredential({ name, credentials }: StreamRecord, clientId: string): Credential {
  const found = credentials.find((credential) => credential.clientId === clientId)
  if (found === undefined) throw refusal('not_found', `The stream ${name} has no such credentials`)
  return found
}

/** Undefined members stay unchanged. */
export type StreamPatch = {
  enabled?: boolean | undefined
  tags?: readonly string[] | undefined
  limits?: { eventRate?: string | undefined; eventCount?: string | undefined } | undefined
  keyRetentionDays?: number | undefined
  retentionHours?: number | 'broker' | undefined
  keyMaxAgeSeconds?: number | undefined
}

export async function patchStream(
  deps: Managing,
  target: StreamName,
  patch: StreamPatch,
): Promise<StreamRecord> {
  const what = act(deps, target.input === undefined ? 'stream.change' : 'output.change', {
    ...targetOf(target),
    changed: setIn(patch),
  })
  const change = () =>
    changeStream(deps, { what, target }, (current, draft) => {
      if (patch.limits !== undefined)
        requireLimits(requireAccount(draft, target.billingId), patch.limits)
      if (patch.keyMaxAgeSeconds !== undefined) requireReaderKeys(current)
      const changed = patched(current, patch)
      noteLentKeys(draft, current, { changed, nowMs: deps.now() })
      draft.addToEntry(differences(settingsOf(current), settingsOf(changed)))
      return changed
    })
  const disable = async () => revokingAccess(deps, clientIdsOf([await read(deps, target)]), change)
  const changed = await (patch.enabled === false ? disable() : change())
  if (patch.enabled === true) await deps.access.grant(changed)
  if (patch.retentionHours !== undefined) await keepRecords(deps, target)
  return changed
}

/**
 * Repeats until the record doesn't change meanwhile, so that after concurrent changes the topics have the last
 * retention.
 */
async function keepRecords(deps: Managing, target: StreamName): Promise<void> {
  let set: StreamRecord
  do {
    set = await read(deps, target)
    await deps.topics.keepRecords(set)
  } while ((await read(deps, target)).retentionHours !== set.retentionHours)
}

const read = ({ writer }: Changes, target: StreamName): Promise<StreamRecord> =>
  writer.change('read', (draft) => requireTarget(draft, target))

function patched(current: StreamRecord, patch: StreamPatch): StreamRecord {
  const { enabled = current.enabled, tags = current.tags } = patch
  const { retentionHours: hours = current.retentionHours } = patch
  const retentionHours = hours === 'broker' ? undefined : hours
  if (current.kind === 'derived') {
    const { keyMaxAgeSeconds: age = current.keyMaxAgeSeconds } = patch
    const keyAge = age === undefined ? {} : { keyMaxAgeSeconds: age }
    return { ...current, enabled, tags, retentionHours, ...keyAge }
  }
  const { keyRetentionDays = current.keyRetentionDays } = patch
  const { eventRate, eventCount } = current.limits
  const limits = {
    eventRate: patch.limits?.eventRate ?? eventRate,
    eventCount: patch.limits?.eventCount ?? eventCount,
  }
  return { ...current, enabled, tags, limits, retentionHours, keyRetentionDays }
}

/** @throws Refusal `invalid` */
function requireReaderKeys(stream: StreamRecord): void {
  if (stream.kind === 'input' || !isDecryptedByReaders(stream))
    throw invalid(['keyMaxAgeSeconds is a setting of outputs with decryptAt reader'])
}

/** Returns the names of the members that are set, for the audit log. */
const setIn = (patch: StreamPatch): string[] =>
  Object.entries(patch).flatMap(([name, value]) => (value === undefined ? [] : name))

/** Returns the settings for the audit log, without tags, because tags are the account's own texts. */
function settingsOf(stream: StreamRecord): Settings {
  const { enabled, retentionHours = 'broker' } = stream
  if (stream.kind === 'derived') {
    const { keyMaxAgeSeconds: age } = stream
    return { enabled, retentionHours, ...(age === undefined ? {} : { keyMaxAgeSeconds: age }) }
  }
  return { enabled, retentionHours, keyRetentionDays: stream.keyRetentionDays, ...stream.limits }
}

function differences(before: Settings, after: Settings): AuditTarget {
  const differing = Object.keys(before).filter((name) => before[name] !== after[name])
  if (differing.length === 0) return {}
  const only = (settings: Settings): Settings =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => differing.includes(name)))
  return { before: only(before), after: only(after) }
}

const targetOf = ({ billingId, name, input }: StreamName): AuditTarget =>
  input === undefined
    ? { account: billingId, stream: name }
    : { account: billingId, stream: input, output: name }

async function changeStream(
  deps: Changes,
  { what, target }: { what: Audited; target: StreamName },
  change: (current: StreamRecord, draft: Draft) => StreamRecord,
): Promise<StreamRecord> {
  return deps.writer.change(what, (draft) => {
    const changed = change(requireTarget(draft, target), draft)
    draft.put(streamKey(changed.billingId, changed.name), changed)
    return changed
  })
}

function requireTarget(draft: Draft, { billingId, name, input }: StreamName): StreamRecord {
  return input === undefined
    ? requireInput(draft, billingId, name)
    : requireOutput(draft, billingId, { input, name })
}
