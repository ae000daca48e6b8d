// Keeps a connection logged in. If the broker limits the session, renews it on the same connection, well before its
// end. New requests on the connection wait during the renewal. Requests that were already sent are not affected,
// because a broker responds in order.
import type { Connection } from '#client-library'

import type { SendGate } from '../gate.ts'
import { credentialsOf, logIn } from './login.ts'
import type { Login } from './login.ts'
import type { Troubles } from '../troubles.ts'

export type SessionOptions = {
  readonly login: Login
  readonly broker: string
  readonly gate: SendGate
  readonly troubles: Troubles
  /**
   * Called if no credentials arrive in time to renew the session. The connection then takes no more requests, and ends.
   */
  retire(): void
}

type Session = { readonly endsMs: number; readonly renewInMs: number; readonly againInMs: number }

const TIMER_MS_MAX = 0x7fffffff
// With the random share, replicas renew at different times. The rest of the session is for retries.
const RENEWED_AFTER = { share: 0.7, random: 0.15 }
const TRIES_LEFT = 5

/**
 * Logs in, and renews the session until the returned function is called. Throws LoginFailed if the first login fails.
 */
export async function keepLoggedIn(
  connection: Connection,
  { login, broker, gate, troubles, retire }: SessionOptions,
): Promise<() => void> {
  let timer: NodeJS.Timeout | undefined

  async function renew(session: Session): Promise<void> {
    const credentials = await credentialsOf(login, broker).catch(troubles.loginFailed)
    if (!connection.isConnected()) return
    if (credentials === undefined) {
      if (performance.now() + session.againInMs > session.endsMs) return retire()
      return after(session.againInMs, session)
    }
    const open = gate.shut()
    try {
      plan(await logIn(connection, credentials, broker))
    } catch (error) {
      troubles.loginFailed(error)
      connection.socket.destroy()
    } finally {
      open()
    }
  }

  function after(ms: number, session: Session): void {
    timer = setTimeout(() => void renew(session), Math.min(ms, TIMER_MS_MAX)).unref()
  }

  function plan(lifetimeMs: number): void {
    if (lifetimeMs <= 0) return
    const session = sessionOf(lifetimeMs)
    after(session.renewInMs, session)
  }

  try {
    plan(await logIn(connection, await credentialsOf(login, broker), broker))
  } catch (error) {
    troubles.loginFailed(error)
    throw error
  }
  return () => clearTimeout(timer)
}

function sessionOf(lifetimeMs: number): Session {
  const { share, random } = RENEWED_AFTER
  const renewInMs = lifetimeMs * (share + Math.random() * random)
  return {
    endsMs: performance.now() + lifetimeMs,
    renewInMs,
    againInMs: (lifetimeMs - renewInMs) / TRIES_LEFT,
  }
}
