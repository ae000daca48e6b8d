// `weir send NAME`: sends events from a file or standard input to an input stream, in order, one per request. After a
// rejected event (400, 413) the next event is sent. An event that was sent too fast, or in an outage, is retried. Any
// other error ends the command, because the next events would fail, too.
import type { Command } from 'commander'
import { apiRefusal, sentenceOf, urlOf } from '../../api/request.ts'
import type { Advice, ApiAnswer } from '../../api/request.ts'
import { CliError, failure } from '../../errors.ts'
import { readEvents } from '../../input/events.ts'
import type { InputEvent } from '../../input/events.ts'
import { refuseOutput, withCredentials } from '../../api/credentials.ts'
import { createIdTokenSource } from '../../api/id-token.ts'
import { openInput } from '../../input/file.ts'
import { nearest } from '../../input/nearest.ts'
import { fetchContracts } from '../contract.ts'
import { jsonFault } from '../../input/json-fault.ts'
import { withExamples } from '../../input/options.ts'
import { adviceOnRest, createPatientSender } from './send-again.ts'
import type { OpenSession, Session } from '../../session.ts'

type SendOptions = { readonly schema: string; readonly file?: string }

type Sending = SendOptions & { readonly name: string }

type Rejected = {
  readonly line: number
  readonly status: number
  readonly code: string | undefined
  readonly message: string
}

export function addSendCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('send')
      .summary('send events, as JSON, to an input stream')
      .description(
        'send events, as JSON, to an input stream. If the first line of the input is a complete JSON value, each line is one ' +
          'event. Otherwise the whole input is one event. Each event is sent in its own request.',
      )
      .argument('<name>', 'an input stream')
      .requiredOption('--schema <id>', 'the schema id of the contract')
      .option(
        '-f, --file <file>',
        'the file with the events (default: -, which means standard input)',
      )
      .action((name: string, options: SendOptions, command: Command) =>
        send(open(command), name, options),
      ),
    ['weir send clicks --schema clickstream -f event.json', 'one event'],
    [
      'tail -f clicks.ndjson | weir send clicks --schema clickstream',
      'sends each line as soon as it is written',
    ],
  )
}

const send = (session: Session, name: string, options: SendOptions): Promise<void> =>
  withCredentials(session, { name, scope: 'send' }, (credentials) =>
    sendWith(session, createIdTokenSource(session.account(), name, credentials), {
      name,
      ...options,
    }),
  )

async function sendWith(
  session: Session,
  token: () => Promise<string>,
  options: Sending,
): Promise<void> {
  const url = urlOf(session.account().ingestUrl, ['event'])
  const headers = { 'svc-schema-id': options.schema }
  const end = new AbortController()
  session.terminal.onEnd(() => {
    end.abort()
    session.terminal.input.destroy(failure('interrupted'))
  })
  // Checks the credentials before the input is read.
  await refuseOutput(session, options.name, await token())
  const request = { method: 'POST', url, headers }
  const sender = createPatientSender(session, { token, request, signal: end.signal })
  const rejected: Rejected[] = []
  let accepted = 0
  /** The page about the first rejected event. */
  let page: string | undefined
  for await (const { line, body } of readEvents(openInput(session, options.file))) {
    try {
      if (end.signal.aborted) throw failure('interrupted')
      const answer = await sender.send(body)
      if (answer.status === 204) accepted += 1
      else {
        rejected.push(await rejectedEvent(session, { line, body }, { ...options, answer }))
        page ??= answer.help
      }
    } catch (error) {
      showOutcome(session, accepted, rejected)
      const stop = { ...options, line, mayBeStored: sender.mayHaveStored() }
      const isFirst = accepted + rejected.length === 0
      throw stoppedAt(line, error, isFirst ? [] : await adviceOnRest(session, stop))
    }
  }
  showOutcome(session, accepted, rejected)
  if (rejected.length > 0) throw new CliError(1, `${rejected.length} rejected, see above`, { page })
}

/** Throws if the refusal is not about this event. */
async function rejectedEvent(
  session: Session,
  { line, body }: InputEvent,
  { answer, name, schema }: Sending & { readonly answer: ApiAnswer },
): Promise<Rejected> {
  const message = sentenceOf(answer)
  // An unknown schema id is also 400, but concerns every event.
  const isUnknown = answer.status === 400 && message.startsWith('Unknown schema id')
  if (isUnknown || ![400, 413].includes(answer.status)) {
    const error = apiRefusal(answer, adviceFor(name, answer.code))
    const meant = isUnknown ? await nearestContract(session, schema) : undefined
    throw meant === undefined ? error : error.withAdvice(`Did you mean ${meant}?`)
  }
  const fault = jsonFault(Buffer.from(body).toString(), line)
  const told = fault === undefined ? `line ${line}: ${message}` : `${fault}; ${message}`
  session.terminal.note(`${told} (${answer.status})`)
  return { line, status: answer.status, code: answer.code, message }
}

/** Returns undefined without an API key, or if no contract has a similar id. */
async function nearestContract(session: Session, schema: string): Promise<string | undefined> {
  if (session.account().apiKey === undefined) return undefined
  const contracts = await fetchContracts(session).catch(() => [])
  return nearest(
    schema,
    contracts.filter(({ status }) => status !== 'archived').map(({ id }) => String(id)),
  )
}

const adviceFor = (name: string, code: string | undefined): Advice => ({
  400: '`weir contract list` shows the contracts of the account.',
  401: `Were the credentials revoked? \`weir credentials rotate ${name} --save\` creates new ones.`,
  402: `\`weir stream show ${name}\` shows the limit of events per month.`,
  403:
    code === 'stream_disabled'
      ? `\`weir stream enable ${name}\` enables it.`
      : `\`weir credentials rotate ${name} --save\` creates credentials that may send and listen.`,
  404: 'Is WEIR_INGEST_URL the address of the ingest service?',
})

/** Adds the line to the error, and advice about the remaining lines. */
function stoppedAt(line: number, error: unknown, rest: readonly string[]): CliError {
  const because = error instanceof CliError ? error : failure(String(error))
  const { exitCode, message, advice, ...more } = because
  const told = { ...more, advice: [...advice, ...rest] }
  return new CliError(exitCode, `stopped at line ${line}: ${message}`, told)
}

function showOutcome(session: Session, accepted: number, rejected: readonly Rejected[]): void {
  const noun = accepted === 1 ? 'event' : 'events'
  session.terminal.print(
    session.isJson
      ? JSON.stringify({ accepted, rejected }, null, 2)
      : `${accepted} ${noun} accepted${accepted === 0 ? '' : ' (204)'}`,
  )
}
