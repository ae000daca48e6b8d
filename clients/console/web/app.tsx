// The whole console: signed out it is the sign-in page; signed in a head with the pages' names, and one page. Who is
// signed in is kept in memory alone: a reload signs out.
import { useState } from 'preact/hooks'
import type { Where } from './api/calls.ts'
import { ContractsPage } from './contracts/contracts-page.tsx'
import { ErasuresPage } from './erasures/erasures-page.tsx'
import { LivePage } from './live/live-page.tsx'
import { hrefOf, usePlace } from './place.ts'
import type { Session } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { StreamsPage } from './streams/streams-page.tsx'
import { Waves } from './ui/waves.tsx'
import { UsagePage } from './usage/usage-page.tsx'

const pages = {
  streams: { title: 'Streams', Page: StreamsPage },
  live: { title: 'Live', Page: LivePage },
  contracts: { title: 'Contracts', Page: ContractsPage },
  usage: { title: 'Usage', Page: UsagePage },
  erasures: { title: 'Erasures', Page: ErasuresPage },
} as const
type PageName = keyof typeof pages
const names: readonly PageName[] = ['streams', 'live', 'contracts', 'usage', 'erasures']

export function App({ where }: { where: Where }) {
  const [session, setSession] = useState<Session>()
  const place = usePlace()
  if (session === undefined) return <SignIn where={where} onSignedIn={setSession} />
  const name = names.find((one) => one === place.page) ?? 'streams'
  const { Page } = pages[name]
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to main content
      </a>
      <Head session={session} current={name} onSignOut={() => setSession(undefined)} />
      <main id="main" tabIndex={-1} key={name}>
        <Page session={session} place={place} />
      </main>
    </>
  )
}

type HeadProps = { session: Session; current: PageName; onSignOut: () => void }

function Head({ session, current, onSignOut }: HeadProps) {
  return (
    <header class="head">
      <span class="brand">
        <Waves /> Weir
      </span>
      <nav aria-label="Pages">
        {names.map((name) => (
          <a key={name} href={hrefOf(name)} aria-current={name === current ? 'page' : undefined}>
            {pages[name].title}
          </a>
        ))}
      </nav>
      <span class="who">
        <span class="muted">account</span> {session.billingId}
      </span>
      <button type="button" class="quiet" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/** The address names a page already, so the link's own jump would leave it. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
