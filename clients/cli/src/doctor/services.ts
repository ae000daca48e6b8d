// Checks whether the three services respond, are ready, have the same time as this machine, and accept the account's
// key and the streams' credentials.
import type { CliAccount } from '../accounts/account.ts'
import type { StreamCredentials } from '../accounts/profile.ts'
import { readKeyAccount } from '../api/key-account.ts'
import { requestApi, urlOf } from '../api/request.ts'
import { claimsOf, fetchToken, idTokenOf, requestToken, unsetCredentials } from '../api/id-token.ts'
import { textAt, textsAt, tryParseJson } from '../json.ts'
import { visible } from '../terminal/table.ts'
import { fromError, ok, problem, warning } from './findings.ts'
import type { DoctorFinding } from './findings.ts'

type ServiceName = 'auth' | 'ingest' | 'output'
export type ServiceAddress = { readonly name: ServiceName; readonly url: string }

export const servicesOf = ({
  authUrl,
  ingestUrl,
  outputUrl,
}: CliAccount): readonly ServiceAddress[] => [
  { name: 'auth', url: authUrl },
  { name: 'ingest', url: ingestUrl },
  { name: 'output', url: outputUrl },
]

const healthTimeoutMs = 2_000
const skewMs = { warning: 5_000, problem: 30_000 }
const streamsMax = 20

/** Sends requests that need no token and change nothing. */
export async function checkService({
  name,
  url,
}: ServiceAddress): Promise<readonly DoctorFinding[]> {
  const askedMs = Date.now()
  try {
    const asked = urlOf(url, ['openapi.json'])
    const answer = await requestApi({ method: 'GET', url: asked })
    const clock = clockFinding(name, answer.date, { fromMs: askedMs, toMs: Date.now() })
    if (answer.status >= 500)
      return [
        problem(
          name,
          `${asked.origin} returns ${answer.status}`,
          `See the log of ${name} for the reason.`,
        ),
        ...clock,
      ]
    const answering = await serviceAt(url, answer.json)
    if (answering !== name) return [otherService(name, asked.origin, answering)]
    const answered = ok(name, `${asked.origin} answers`)
    return [answered, ...(await checkReadiness(name, asked)), ...clock]
  } catch (error) {
    return [fromError(name, error, 'problem')]
  }
}

/** ingest has no API description, but is recognised by a path that only accepts POST. */
async function serviceAt(url: string, openApi: unknown): Promise<ServiceName | undefined> {
  const title = textAt(openApi, 'info', 'title')
  const described = (['auth', 'output'] as const).find((name) => title === `Weir ${name}`)
  if (described !== undefined) return described
  const { status } = await requestApi({ method: 'GET', url: urlOf(url, ['event']) })
  return status === 405 ? 'ingest' : undefined
}

const otherService = (name: ServiceName, origin: string, answering: ServiceName | undefined) =>
  problem(
    name,
    answering === undefined
      ? `${origin} answers, but this is not ${name} of Weir`
      : `${origin} is the address of ${answering}, not of ${name}`,
    'Correct the addresses: set WEIR_AUTH_URL, WEIR_INGEST_URL, WEIR_OUTPUT_URL, or use `weir account login`.',
  )

/** Allows for the whole seconds of HTTP dates, and for the time that the response took. */
export function clockFinding(
  name: string,
  date: string | undefined,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): readonly DoctorFinding[] {
  const theirs = date === undefined ? Number.NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return []
  const behind = fromMs - (theirs + 1_000)
  const ahead = theirs - toMs
  const off = Math.max(0, behind, ahead)
  if (off < skewMs.warning) return [ok(`${name} clock`, 'agrees with this machine')]
  const message = `is ${Math.round(off / 1_000)} s ${ahead > behind ? 'ahead of' : 'behind'} this machine`
  const advice =
    'Synchronize both with a time server: tokens, keys and the times of events depend on clocks.'
  return [(off < skewMs.problem ? warning : problem)(`${name} clock`, message, advice)]
}

/**
 * Asks the default admin port, which is for operators, whether the service is ready. Returns nothing if this port is
 * unreachable.
 */
async function checkReadiness(
  name: string,
  { protocol, hostname, port }: URL,
): Promise<readonly DoctorFinding[]> {
  if (port === '') return []
  const url = new URL(`${protocol}//${hostname}:${Number(port) + 1_000}/health/ready`)
  const answer = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(healthTimeoutMs),
  }).catch(() => undefined)
  const text = await answer?.text().catch(() => undefined)
  const reasons = text === undefined ? undefined : reasonsIn(tryParseJson(text))
  if (answer?.status === 200) return [readyFinding(name, reasons ?? [])]
  if (answer?.status !== 503 || reasons === undefined) return []
  return [
    problem(
      `${name} ready`,
      `no: ${reasons.map(visible).join('; ')}`,
      'docs/runbooks/ says what to do.',
    ),
  ]
}

function readyFinding(name: string, warnings: readonly string[]): DoctorFinding {
  if (warnings.length === 0) return ok(`${name} ready`, 'yes')
  const message = `yes, but ${warnings.map((each) => visible(each.replace(/^warning: /, ''))).join('; ')}`
  return warning(`${name} ready`, message, 'docs/operations.md, Health, says what to do.')
}

function reasonsIn(json: unknown): readonly string[] | undefined {
  if (Array.isArray(json)) return json.filter((reason) => typeof reason === 'string')
  const reasons = textsAt(json, 'reasons')
  return reasons.length > 0 ? reasons : undefined
}

export async function checkApiKey(account: CliAccount): Promise<readonly DoctorFinding[]> {
  if (account.apiKey === undefined) return []
  try {
    const answer = await readKeyAccount(account)
    const billingId = visible(textAt(answer, 'billingId') ?? '?')
    const role = visible(textAt(answer, 'key', 'role') ?? '?')
    return [ok('API key', `valid, for the account ${billingId}, with the role ${role}`)]
  } catch (error) {
    return [fromError('API key', error, 'problem')]
  }
}

/** Requests tokens with the credentials of the environment, or with the first 20 saved ones. Discards the tokens. */
export async function checkCredentials(account: CliAccount): Promise<readonly DoctorFinding[]> {
  if (account.billingId === undefined) return []
  if (account.credentials !== undefined)
    return [await checkEnvironment(account, account.credentials)]
  const saved = [...account.streams]
  const findings = await Promise.all(
    saved.slice(0, streamsMax).map(([name, one]) => checkStream(account, name, one)),
  )
  const bad = findings.filter(({ state }) => state !== 'ok')
  const good = findings.length - bad.length
  const summary =
    saved.length === 0
      ? 'none are saved'
      : `${good} of ${findings.length} saved streams can get a token`
  return [...(bad.length > 0 ? [] : [ok('credentials', summary)]), ...bad]
}

/** Every command uses the credentials of the environment instead of the saved ones. */
async function checkEnvironment(
  account: CliAccount,
  credentials: StreamCredentials,
): Promise<DoctorFinding> {
  const variables = 'WEIR_CLIENT_ID and WEIR_CLIENT_SECRET'
  try {
    const answer = await fetchToken(account, variables, credentials)
    const stream = visible(claimsOf(idTokenOf(answer)).stream ?? 'an unknown stream')
    const others = [...account.streams.keys()].filter((name) => name !== stream)
    if (others.length === 0) return ok('credentials', `${variables} are those of ${stream}`)
    return warning(
      'credentials',
      `${variables} are those of ${stream}: while they are set, the saved ones of ${others.join(', ')} aren't used`,
      `To use the saved ones: ${unsetCredentials}`,
    )
  } catch (error) {
    return fromError('credentials', error, 'warning')
  }
}

async function checkStream(
  account: CliAccount,
  name: string,
  credentials: StreamCredentials,
): Promise<DoctorFinding> {
  try {
    await requestToken(account, name, credentials)
    return ok('credentials', `${name} can get a token`)
  } catch (error) {
    return fromError('credentials', error, 'warning')
  }
}
