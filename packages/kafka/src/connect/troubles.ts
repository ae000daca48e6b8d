// Finds out why Kafka can't be reached. Each reason is logged at most once a minute, and shown in readiness with what
// to correct. Retries don't depend on the reason.
import type { Socket } from 'node:net'

import type { Log } from '@weir/kit'

import { codeIn, hintFor } from '@weir/kit'
import { LoginFailed } from './faults.ts'

export type Troubles = {
  /** Call with each new socket to a broker. */
  watch(socket: Socket, address: { host: string; port: number }): void
  /** Call when a broker responded with TLS to a connection without TLS. */
  turnedAway(broker: string): void
  /** Call when a login was refused or broke off. The error's message contains the reason. */
  loginFailed(error: unknown): void
  /** Returns the latest reason, or undefined if there is no recent one. */
  current(): string | undefined
}

export type ConnectionSecurity = { readonly isTls: boolean; readonly mechanism: string | undefined }

const SETTINGS = {
  address: 'KAFKA_BROKERS',
  ca: 'KAFKA_TLS_CA_FILE',
  noTls: 'leave KAFKA_TLS out',
  certificate: 'KAFKA_TLS_CERT_FILE',
}

const CURRENT_FOR_MS = 20_000
const LOG_AGAIN_AFTER_MS = 60_000
const REASONS_MAX = 100
// A broker that rejects our protocol closes a connection within this time. A broker that restarts mostly closes older
// connections.
const YOUNG_MS = 2_000
const LOGIN_COUNTS_FOR_MS = 5_000

export function createTroubles(log: Log, { isTls, mechanism }: ConnectionSecurity): Troubles {
  const isNews = createNews()
  let latest: { reason: string; atMs: number; isLogin: boolean } | undefined

  function note(reason: string, isLogin = false): void {
    latest = { reason, atMs: performance.now(), isLogin }
    if (isNews(reason)) log.warn({ reason }, 'Kafka is unreachable; trying again')
  }

  function closedAtOnce(broker: string, isShaken: boolean): void {
    // The reason is a login that failed a moment ago.
    if (latest?.isLogin && performance.now() - latest.atMs < LOGIN_COUNTS_FOR_MS) return
    note(`${broker} closes connections immediately; ${questionOf({ isTls, mechanism }, isShaken)}?`)
  }

  function watch(socket: Socket, { host, port }: { host: string; port: number }): void {
    const broker = `${host}:${port}`
    const bornMs = performance.now()
    const isYoung = () => performance.now() - bornMs < YOUNG_MS
    let isShaken = !isTls
    let isExplained = isTls && mechanism !== undefined
    socket.once('secureConnect', () => (isShaken = true))
    socket.on('error', (error) => {
      const code = codeIn(error)
      const hint = hintFor(code, SETTINGS)
      isExplained ||= hint !== undefined
      if (hint !== undefined) note(`${broker}: ${hint} (${code})`)
      else if (code === 'ECONNRESET' && isYoung()) closedAtOnce(broker, isShaken)
    })
    socket.once('end', () => {
      const isTheirs = !socket.writableEnded && !socket.destroyed
      if (isTheirs && isYoung() && !isExplained) closedAtOnce(broker, isShaken)
    })
  }

  return {
    watch,
    turnedAway: (broker) => closedAtOnce(broker, true),
    loginFailed(error) {
      if (error instanceof LoginFailed) note(error.message, true)
    },
    current: () =>
      latest && performance.now() - latest.atMs < CURRENT_FOR_MS ? latest.reason : undefined,
  }
}

function questionOf({ isTls, mechanism }: ConnectionSecurity, isShaken: boolean): string {
  if (!isShaken) return 'does it use TLS'
  const wanted = [
    ...(isTls ? [] : ['TLS (KAFKA_TLS)']),
    ...(mechanism === undefined ? ['a login (KAFKA_SASL_MECHANISM)'] : []),
  ]
  return `does it need ${wanted.join(' or ')}`
}

/** The returned function returns true for a reason that wasn't logged recently. */
function createNews(): (reason: string) => boolean {
  const loggedMs = new Map<string, number>()
  return (reason) => {
    const now = performance.now()
    if (now - (loggedMs.get(reason) ?? -Infinity) < LOG_AGAIN_AFTER_MS) return false
    if (loggedMs.size >= REASONS_MAX) loggedMs.clear()
    loggedMs.set(reason, now)
    return true
  }
}
