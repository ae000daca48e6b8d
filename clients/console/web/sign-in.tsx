// Signing in with an API key of the account. The key authenticates calls to auth and output, and stays in this
// page's memory. A password manager may fill the form; the page itself stores nothing.
import { useState } from 'preact/hooks'
import { createCalls, Refused } from './api/calls.ts'
import type { Where } from './api/calls.ts'
import { objectOf, textOf } from './api/json.ts'
import { roles } from './roles.ts'
import { createSession } from './session.ts'
import type { Session } from './session.ts'
import { Waves } from './ui/waves.tsx'
import { Problems } from './ui/problems.tsx'
import { useDoing } from './ui/use-doing.ts'

type Props = { readonly where: Where; readonly onSignedIn: (session: Session) => void }

export function SignIn({ where, onSignedIn }: Props) {
  const [apiKey, setApiKey] = useState('')
  const signing = useDoing(async () => {
    onSignedIn(await signIn(where, apiKey.trim()))
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    signing.run()
  }
  return (
    <main class="sign-in">
      <form onSubmit={onSubmit} class="card">
        <h1>
          <Waves /> Weir
        </h1>
        <p class="muted">
          See each event as it was sent, as it is stored, and as each output decrypts it. Find out
          what is stored about a person, and export, withdraw or erase it.
        </p>
        <label>
          API key
          <input
            name="api-key"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            value={apiKey}
            onInput={(event) => setApiKey(event.currentTarget.value)}
          />
        </label>
        <Problems of={signing.error} />
        <button type="submit" class="main" disabled={signing.isDoing}>
          {signing.isDoing ? 'Signing in …' : 'Sign in'}
        </button>
        <p class="muted small">
          An owner of your account creates API keys (<code>weir api-key create</code>). This page
          keeps the key only in memory, so a reload removes it.{' '}
          <a href={`${where.authUrl}/docs/`}>Guides</a>
        </p>
      </form>
    </main>
  )
}

async function signIn(where: Where, apiKey: string): Promise<Session> {
  const calls = createCalls(where, apiKey)
  const account = objectOf(await calls.auth('GET', '/v2/account').catch(explain))
  const named = objectOf(account['key'])['role']
  const role = roles.find((one) => one === named) ?? 'viewer'
  return createSession(textOf(account['billingId']), role, calls)
}

/** Replaces auth's refusal of a key. That refusal explains how a program sends a key, which does not help people. */
function explain(error: unknown): never {
  if (error instanceof Refused && error.status === 401)
    throw new Error(
      'This key is unknown here, expired or deleted. A key is valid only in the installation of Weir that created it. An owner of the account creates keys.',
    )
  throw error
}
