// Sends an event of `weir send`, and sends it again after `Retry-After` while ingest does not store it. Also advises on
// the unsent lines when the command stops.
import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { requestApi, sentenceOf } from '../../api/request.ts'
import type { ApiAnswer, ApiRequest } from '../../api/request.ts'
import { failure } from '../../errors.ts'
import { splitLines } from '../../input/events.ts'
import type { InputEvent } from '../../input/events.ts'
import { openInput } from '../../input/file.ts'
import type { Session } from '../../session.ts'

/** How long an event is retried. */
const waitMsMax = 60_000

type Sending = {
  readonly token: () => Promise<string>
  readonly request: Omit<ApiRequest, 'bearer' | 'body'>
  /** Ends the wait before an attempt. */
  readonly signal: AbortSignal
}

type PatientSender = {
  send(body: InputEvent['body']): Promise<ApiAnswer>
  /** Returns whether the event may be stored. Only valid after `send` has failed, or has returned a refusal. */
  mayHaveStored(): boolean
}

export function createPatientSender(
  session: Session,
  { token, request, signal }: Sending,
): PatientSender {
  const { screen } = session.terminal
  let isOpen = false
  const post = async (body: InputEvent['body']): Promise<ApiAnswer> => {
    isOpen = false
    const bearer = await token()
    isOpen = true
    const answer = await requestApi({ ...request, bearer, body }).catch((error: Error) => {
      isOpen = !error.message.includes('ECONNREFUSED')
      throw error
    })
    isOpen = answer.status >= 500 && !isUnstored(answer)
    return answer
  }
  return {
    mayHaveStored: () => isOpen,
    async send(body) {
      const endMs = performance.now() + waitMsMax
      for (;;) {
        const answer = await post(body)
        // The random part prevents several senders from retrying at the same time.
        const waitMs = secondsOf(answer) * 1_000 * (1 + Math.random() / 4)
        if (!isUnstored(answer) || performance.now() + waitMs > endMs) return answer
        screen?.draw(`Waiting ${Math.ceil(waitMs / 1_000)} s: ${sentenceOf(answer)}`)
        await delay(waitMs, undefined, { signal }).catch(() => undefined)
        screen?.draw('')
        if (signal.aborted) throw failure('interrupted')
      }
    },
  }
}

const secondsOf = ({ retryAfter }: ApiAnswer): number =>
  /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : 1

/**
 * Returns true if the event is certainly not stored, and a later attempt can succeed. A response without the code may
 * be from a proxy.
 */
const isUnstored = ({ status, code, text }: ApiAnswer): boolean =>
  (status === 429 && code === 'event_rate_exceeded') ||
  (status === 503 && code === 'unavailable' && !text.startsWith('May be stored'))

type Stop = {
  readonly name: string
  readonly schema: string
  readonly file?: string
  readonly line: number
  readonly mayBeStored: boolean
}

/** Returns advice about the lines to send later, without lines that may be stored. */
export async function adviceOnRest(session: Session, stop: Stop): Promise<readonly string[]> {
  const { line, mayBeStored } = stop
  return [
    ...(mayBeStored ? [`Line ${line} may be stored.`] : []),
    ...(await linesFrom(session, stop, mayBeStored ? line + 1 : line)),
  ]
}

async function linesFrom(
  session: Session,
  { name, schema, file }: Stop,
  from: number,
): Promise<readonly string[]> {
  if (file === undefined || !statSync(file, { throwIfNoEntry: false })?.isFile())
    return [`Lines from ${from} on were not sent.`]
  let last = 0
  for await (const _ of splitLines(openInput(session, file))) last += 1
  if (last < from) return []
  const lines = last === from ? `Line ${last} was` : `Lines ${from} to ${last} were`
  return [
    `${lines} not sent: tail -n +${from} ${quoted(file)} | weir send ${name} --schema ${quoted(schema)}`,
  ]
}

const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
