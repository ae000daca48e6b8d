// The small changes of control state: accounts, credentials, settings of a stream.
import { AppError } from '@weir/kit'
import type { Draft } from './draft.ts'
import type { AccountRecord, Credential, Scope, StreamRecord } from './records.ts'
import { accountKey, streamKey } from './records.ts'
import { requireAccount, requireInput, requireOutput } from './rules.ts'
import type { NewCredential } from './secrets.ts'
import { hashSecret, newApiKey, newCredential } from './secrets.ts'
import type { Stewardship } from './stewardship.ts'

const apiKeysMax = 20
const credentialsMax = 20

/** A new account with its first API key, which is never shown again. */
export async function createAccount(
  deps: Stewardship,
  billingId: string,
): Promise<{ account: AccountRecord; apiKey: string }> {
  const apiKey = newApiKey()
  const account = await deps.writer.change((draft) => {
    if (draft.account(billingId) !== undefined)
      throw new AppError('name_taken', `There is an account ${billingId} already`)
    const made = { billingId, apiKeyHashes: [hashSecret(apiKey)], createdAtMs: deps.now() }
    draft.put(accountKey(billingId), made)
    return made
  })
  return { account, apiKey }
}

/** One more API key for an account that exists; the oldest goes when there are too many. */
export async function addApiKey(
  deps: Stewardship,
  billingId: string,
): Promise<{ account: AccountRecord; apiKey: string }> {
  const apiKey = newApiKey()
  const account = await deps.writer.change((draft) => {
    requireAccount(draft, billingId)
    const current = draft.account(billingId)
    const hashes = [...(current?.apiKeyHashes ?? []), hashSecret(apiKey)].slice(-apiKeysMax)
    const changed = {
      billingId,
      createdAtMs: current?.createdAtMs ?? deps.now(),
      apiKeyHashes: hashes,
    }
    draft.put(accountKey(billingId), changed)
    return changed
  })
  return { account, apiKey }
}

/** Which stream a request means; an output is named together with its input. */
export type StreamName = { billingId: string; name: string; input?: string }

/** Without a scope, for all that the stream can be used for. */
export async function addCredential(
  deps: Stewardship,
  target: StreamName,
  scope?: readonly Scope[],
): Promise<NewCredential> {
  const wanted = scope ?? (target.input === undefined ? ['send', 'listen'] : ['listen'])
  const made = newCredential(wanted, deps.now())
  await changeStream(deps, target, (current) => {
    if (current.credentials.length >= credentialsMax)
      throw new AppError(
        'too_many_credentials',
        `A stream has at most ${credentialsMax} credentials; delete one first`,
      )
    if (current.kind === 'derived' && wanted.includes('send'))
      throw new AppError(
        'invalid_scope',
        'scope must be listen: nothing can be sent to a derived stream',
      )
    return { ...current, credentials: [...current.credentials, made.credential] }
  })
  return made
}

/** Its tokens are dead once this resolves. */
export async function removeCredential(
  deps: Stewardship,
  target: StreamName,
  clientId: string,
): Promise<Credential> {
  return deps.writer.change((draft) => {
    const current = requireTarget(draft, target)
    const removed = current.credentials.find((credential) => credential.clientId === clientId)
    if (removed === undefined)
      throw new AppError('not_found', `The stream ${current.name} has no such credentials`)
    const credentials = current.credentials.filter((credential) => credential !== removed)
    draft.put(streamKey(current.billingId, current.name), { ...current, credentials })
    return removed
  })
}

/** What is undefined stays as it is. */
export type StreamPatch = {
  enabled?: boolean | undefined
  tags?: readonly string[] | undefined
  limits?: { eventRate?: string | undefined; eventCount?: string | undefined } | undefined
  keyRetentionDays?: number | undefined
}

export async function patchStream(
  deps: Stewardship,
  target: StreamName,
  patch: StreamPatch,
): Promise<StreamRecord> {
  return changeStream(deps, target, (current) => {
    const { enabled = current.enabled, tags = current.tags } = patch
    if (current.kind === 'derived') return { ...current, enabled, tags }
    const { keyRetentionDays = current.keyRetentionDays } = patch
    const { eventRate, eventCount } = current.limits
    const limits = {
      eventRate: patch.limits?.eventRate ?? eventRate,
      eventCount: patch.limits?.eventCount ?? eventCount,
    }
    return { ...current, enabled, tags, limits, keyRetentionDays }
  })
}

async function changeStream(
  deps: Stewardship,
  target: StreamName,
  change: (current: StreamRecord) => StreamRecord,
): Promise<StreamRecord> {
  return deps.writer.change((draft) => {
    const changed = change(requireTarget(draft, target))
    draft.put(streamKey(changed.billingId, changed.name), changed)
    return changed
  })
}

function requireTarget(draft: Draft, { billingId, name, input }: StreamName): StreamRecord {
  return input === undefined
    ? requireInput(draft, billingId, name)
    : requireOutput(draft, billingId, { input, name })
}
