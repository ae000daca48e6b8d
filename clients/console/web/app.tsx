// The whole console: first the sign-in page, then a header with the pages' names, and one page. The session is only in
// memory, so a reload signs out. Pages that the key may not use are hidden.
import type { FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Where } from './api/calls.ts'
import { listPurposes } from './api/resources.ts'
import { ContractsPage } from './contracts/contracts-page.tsx'
import { ErasuresPage } from './erasures/erasures-page.tsx'
import { PeoplePage } from './people/people-page.tsx'
import { LivePage } from './live/live-page.tsx'
import { goTo, hrefOf, usePlace } from './place.ts'
import { Purposes } from './purposes/use-purposes.ts'
import type { Role } from './roles.ts'
import type { PageProps, Session } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { StreamsPage } from './streams/streams-page.tsx'
import { useLoad } from './ui/use-load.ts'
import { Waves } from './ui/waves.tsx'
import { UsagePage } from './usage/usage-page.tsx'

const names = ['streams', 'live', 'contracts', 'usage', 'people', 'erasures'] as const
type PageName = (typeof names)[number]
type OnePage = {
  readonly title: string
  readonly Page: FunctionComponent<PageProps>
  readonly needs: Role
  /** Whether its address may name a stream. With `one`, the page always shows a stream. */
  readonly ofStream?: 'one' | 'any'
}
const pages: Readonly<Record<PageName, OnePage>> = {
  streams: { title: 'Streams', Page: StreamsPage, needs: 'viewer' },
  live: { title: 'Live', Page: LivePage, needs: 'developer', ofStream: 'one' },
  contracts: { title: 'Contracts', Page: ContractsPage, needs: 'viewer' },
  usage: { title: 'Usage', Page: UsagePage, needs: 'viewer', ofStream: 'one' },
  people: { title: 'People', Page: PeoplePage, needs: 'officer' },
  erasures: { title: 'Erasures', Page: ErasuresPage, needs: 'viewer', ofStream: 'any' },
}
const offered = ({ may }: Session): readonly PageName[] =>
  names.filter((name) => may(pages[name].needs))

export function App({ where }: { where: Where }) {
  const [session, setSession] = useState<Session>()
  const place = usePlace()
  if (session === undefined) return <SignIn where={where} onSignedIn={setSession} />
  const onSignOut = (): void => {
    setSession(undefined)
    goTo('') // the next user starts at the first page
  }
  return <SignedIn {...{ session, place, onSignOut }} />
}

type SignedInProps = PageProps & { readonly onSignOut: () => void }

function SignedIn({ session, place, onSignOut }: SignedInProps) {
  const home = session.role === 'officer' ? 'people' : 'streams'
  const name = offered(session).find((one) => one === place.page) ?? home
  const { Page, title, ofStream } = pages[name]
  const purposes = useLoad(() => listPurposes(session.calls), [session.calls, name])
  const stream = useRef<string | undefined>(undefined)
  if (ofStream && place.name !== undefined) stream.current = place.name
  const subject = ofStream && place.name !== undefined ? `${title} of ${place.name}` : title
  useEffect(() => void (document.title = `${subject} · Weir`), [subject])
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to main content
      </a>
      <Head {...{ session, onSignOut }} current={name} stream={stream.current} />
      <main id="main" tabIndex={-1} key={name}>
        {place.page === name || place.page === '' ? null : (
          <p class="problems" role="status">
            A key with the role {session.role} has no page «{place.page}».
          </p>
        )}
        <Purposes.Provider value={purposes}>
          <Page session={session} place={place} />
        </Purposes.Provider>
      </main>
    </>
  )
}

type HeadProps = {
  readonly session: Session
  readonly current: PageName
  /** The stream that was last chosen, for the pages of one stream. */
  readonly stream: string | undefined
  readonly onSignOut: () => void
}

function Head({ session, current, stream, onSignOut }: HeadProps) {
  return (
    <header class="head">
      <span class="brand">
        <Waves /> Weir
      </span>
      <nav aria-label="Pages">
        {offered(session).map((name) => (
          <a
            key={name}
            href={hrefOf(name, pages[name].ofStream === 'one' ? stream : undefined)}
            aria-current={name === current ? 'page' : undefined}
          >
            {pages[name].title}
          </a>
        ))}
      </nav>
      <span class="who">
        <span class="muted">{session.role} of</span> {session.billingId}
      </span>
      <button type="button" class="quiet" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/** The address's fragment names the page, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
