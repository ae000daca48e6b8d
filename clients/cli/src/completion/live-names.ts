// Finds names that can complete a command line: the account's current streams, outputs and contracts. Waits at most a
// second and shows no errors, because the user has not run a command yet.
import { resolveAccount } from '../accounts/account.ts'
import type { CliAccount } from '../accounts/account.ts'
import { urlOf } from '../api/request.ts'
import { textAt } from '../json.ts'
import { readProfile } from '../accounts/profile.ts'
import { streamNameOf, streamRecordsOf } from '../api/stream-records.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { CompletionPlace } from './place.ts'

type Kind = 'inputs' | 'outputs' | 'streams' | 'contracts' | 'accounts'

const waitMs = 1_000
const inputsMax = 50

/** The kind of names by command and expected argument. Arguments that name something new have no entry. */
const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^stream (list|show|enable|disable|delete) name$/, 'inputs'],
  [/^output [a-z ]+ input$/, 'inputs'],
  [/^output (show|enable|disable|delete|dead [a-z]+) name$/, 'outputs'],
  [/^(send|simulate|usage|subject [a-z]+|erasure (list|receipts)) name$/, 'inputs'],
  [/^(listen|token|kafka|export|credentials [a-z]+) name$/, 'streams'],
  [/^contract (show|types|archive) id$/, 'contracts'],
  [/^(send|simulate|export) schema$/, 'contracts'],
  [/^account use billingId$/, 'accounts'],
]

export const kindAt = ({
  path,
  expects,
}: Pick<CompletionPlace, 'path' | 'expects'>): Kind | undefined =>
  kinds.find(([pattern]) => pattern.test(`${path} ${expects ?? ''}`))?.[1]

export async function liveNames(
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  place: CompletionPlace,
  wantsDemo: boolean,
): Promise<readonly string[]> {
  const kind = kindAt(place)
  if (kind === undefined) return []
  try {
    const account = resolveAccount({ env, cwd, wantsDemo, bringsKey: false })
    if (kind === 'accounts') return [...readProfile(account.profile).accounts.keys()]
    const saved = kind === 'streams' ? [...account.streams.keys()] : []
    const found = await namesOf(account, kind, place.given[0] ?? '').catch(() => [])
    return [...new Set([...saved, ...found])]
  } catch {
    return []
  }
}

async function namesOf(account: CliAccount, kind: Kind, input: string): Promise<readonly string[]> {
  // One time-out for all requests together.
  const signal = AbortSignal.timeout(waitMs)
  const list = (...path: string[]): Promise<readonly string[]> => ask(account, path, signal)
  if (kind === 'contracts') return list('contracts')
  if (kind === 'outputs') return list('streams', input, 'outputs')
  const inputs = await list('streams')
  if (kind === 'inputs') return inputs
  const outputs = inputs
    .slice(0, inputsMax)
    .map((name) => list('streams', name, 'outputs').catch(() => []))
  return [...inputs, ...(await Promise.all(outputs)).flat()]
}

async function ask(
  { authUrl, apiKey }: CliAccount,
  path: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (apiKey === undefined) return []
  const answer = await fetch(urlOf(authUrl, ['v2', ...path]), {
    headers: { authorization: `Bearer ${apiKey}` },
    redirect: 'manual',
    signal,
  })
  const names = streamRecordsOf(await answer.json()).map(
    (one) => streamNameOf(one) ?? textAt(one, 'id'),
  )
  return names.filter((name) => name !== undefined)
}
