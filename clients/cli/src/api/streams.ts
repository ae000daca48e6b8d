// Reads streams from the management API. Input streams and outputs have different paths, but share one name space.
import { accountInWords, forgetStreams, saveCredentials } from '../accounts/account.ts'
import { findDemo } from '../accounts/demo.ts'
import type { Advice } from './request.ts'
import { failure } from '../errors.ts'
import { didYouMean } from '../input/nearest.ts'
import { listAt, textAt, valueAt } from '../json.ts'
import { streamNameOf, streamRecordsOf } from './stream-records.ts'
import type { JsonObject } from '../json.ts'
import { parseCredentials } from '../accounts/profile.ts'
import type { StreamCredentials } from '../accounts/profile.ts'
import type { SessionCalls, Session, Telling } from '../session.ts'

export const linkedStreamOf = (record: unknown): string | undefined =>
  textAt(record, 'linkedStream')

/** Returns the new credentials in a response, or undefined. Only new credentials contain a secret. */
export function newCredentials(answer: unknown): StreamCredentials | undefined {
  const own = parseCredentials(answer) ?? parseCredentials(valueAt(answer, 'credentials'))
  if (own) return own
  return listAt(answer, 'credentials')
    .map(parseCredentials)
    .findLast((credentials) => credentials !== undefined)
}

export function credentialIdsOf(record: unknown): readonly string[] {
  const credentials = valueAt(record, 'credentials')
  const all = Array.isArray(credentials) ? credentials : [credentials]
  return all.map((one) => textAt(one, 'clientId')).filter((id) => id !== undefined)
}

export async function fetchStreams(session: SessionCalls): Promise<readonly JsonObject[]> {
  return streamRecordsOf(await session.manage({ method: 'GET', path: ['streams'] }))
}

export async function listInputNames(session: SessionCalls): Promise<readonly string[]> {
  return (await fetchStreams(session)).map(streamNameOf).filter((name) => name !== undefined)
}

export async function fetchOutputs(
  session: SessionCalls,
  input: string,
): Promise<readonly JsonObject[]> {
  return streamRecordsOf(
    await session.manage({
      method: 'GET',
      path: ['streams', input, 'outputs'],
      advice: outputAdvice,
    }),
  )
}

export const nameAdvice = {
  409: 'Choose another name. Input streams and outputs share their names.',
} satisfies Advice

export const inputAdvice = {
  404: '`weir stream list` shows the input streams. For outputs use: weir output … INPUT NAME',
} satisfies Advice

export const outputAdvice = {
  404: '`weir stream list` shows the input streams, `weir output list INPUT` shows the outputs of an input stream.',
} satisfies Advice

/** Finds an input stream or output by its name. Returns its path under /v2 and its record. Throws if neither exists. */
export async function findStream(
  session: Session,
  name: string,
): Promise<{ path: readonly string[]; record: JsonObject }> {
  const inputs = await fetchStreams(session)
  const names = inputs.map(streamNameOf).filter((found) => found !== undefined)
  const input = inputs.find((record) => streamNameOf(record) === name)
  if (input) return { path: ['streams', name], record: input }
  const outputNames: string[] = []
  for (const inputName of names) {
    const outputs = await fetchOutputs(session, inputName)
    const output = outputs.find((found) => streamNameOf(found) === name)
    if (output) return { path: ['streams', inputName, 'outputs', name], record: output }
    outputNames.push(...outputs.map(streamNameOf).filter((found) => found !== undefined))
  }
  throw failure(
    `there is no stream or output ${name}${didYouMean(name, [...names, ...outputNames])}`,
    `This is about ${accountInWords(session.account())}.`,
    ...adviceOnDemo(session, name),
    '`weir stream list` and `weir output list INPUT` show the streams.',
  )
}

/** Returns advice if the demo has a stream of this name, and the command does not use the demo. */
export function adviceOnDemo(session: Session, name: string): readonly string[] {
  if (session.account().demo !== undefined) return []
  const isThere = findDemo(session.terminal.cwd)?.streams.has(name) === true
  return isThere ? [`The demo has a stream ${name}: add --demo to use it.`] : []
}

export async function saveNew(session: Session, name: string, answer: unknown): Promise<void> {
  const account = await session.knownAccount()
  const billingId = textAt(answer, 'ref', 'billingId') ?? account.billingId
  const credentials = newCredentials(answer)
  if (billingId === undefined) throw failure('the response names no account')
  if (credentials === undefined) {
    throw failure(
      `${name} was created without credentials, because the role of this API key may not create them`,
      `An owner creates and saves them with \`weir credentials rotate ${name} --save\`.`,
    )
  }
  await saveCredentials(account, billingId, name, credentials)
  session.tell(`Credentials of ${name} saved in ${account.profile}.`)
}

/** Says that a secret in `answer` is not shown again, or that the stream has no credentials. */
export const tellOnce = (session: Telling, name: string, answer: unknown): void =>
  session.tell(
    newCredentials(answer) === undefined
      ? `${name} has no credentials yet. An owner creates them: weir credentials rotate ${name}`
      : 'The clientSecret is not shown again. With --save it is also saved in the profile.',
  )

/** Shows everything that was deleted, and removes the saved credentials of the deleted streams. */
export async function showDeleted(session: Session, answer: unknown): Promise<void> {
  const items = listAt(answer, 'deleted')
  session.showList({
    answer,
    items,
    columns: {
      DELETED: streamNameOf,
      KIND: (record) => (linkedStreamOf(record) === undefined ? 'input' : 'output'),
      INPUT: linkedStreamOf,
    },
    whenEmpty: 'Deleted.',
  })
  const account = await session.knownAccount()
  const first = items[0]
  const billingId = textAt(first, 'ref', 'billingId') ?? account.billingId
  const names = items.map(streamNameOf).filter((name) => name !== undefined)
  if (billingId !== undefined) await forgetStreams(account, billingId, names)
}
