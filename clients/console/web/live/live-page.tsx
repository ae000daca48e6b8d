// The live view: events that reach an input stream from now on, and their forms in derived streams. The page keeps only
// the newest events.
import { useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import type { Contract, Input } from '../api/account.ts'
import { listContracts, listInputs } from '../api/resources.ts'
import { TestEvent } from '../contracts/test-event.tsx'
import type { Sent } from '../contracts/test-event.tsx'
import { goTo } from '../place.ts'
import { Dialog } from '../ui/dialog.tsx'
import { chosenInput, NoInput } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { compact, rate } from '../ui/words.ts'
import { EventDetail } from './event-detail.tsx'
import { EventList } from './event-list.tsx'
import { noFilter } from './filter.ts'
import type { Filter } from './filter.ts'
import { useFollowed } from './use-followed.ts'
import { LiveBar } from './live-bar.tsx'
import type { LiveEvent } from './live-store.ts'
import { useLive } from './use-live.ts'
import type { LiveView } from './use-live.ts'

export function LivePage({ session, place }: PageProps) {
  const { calls } = session
  const { value, error } = useLoad(
    async () => ({ inputs: await listInputs(calls), contracts: await listContracts(calls) }),
    [calls],
  )
  if (value === undefined) return <Problems of={error} />
  const input = chosenInput(value.inputs, place)
  if (input === undefined) return <NoInput place={place} />
  return <Watching key={input.name} {...{ session, input, ...value }} />
}

type WatchingProps = {
  readonly session: PageProps['session']
  readonly input: Input
  readonly inputs: readonly Input[]
  readonly contracts: readonly Contract[]
}

function Watching({ session, input, inputs, contracts }: WatchingProps) {
  const { calls } = session
  const [filter, setFilter] = useState<Filter>(noFilter)
  const [isPaused, setPaused] = useState(false)
  const [selected, setSelected] = useState<LiveEvent>()
  const [isSending, setSending] = useState(false)
  const { view, store, clear } = useLive(session, input, { filter, isPaused })
  const followed = useFollowed(view.events, input)
  const shown = selected ?? followed
  const select = (event: LiveEvent): void => {
    setSelected(event)
    setPaused(true)
  }
  const go = (): void => {
    setSelected(undefined)
    setPaused(false)
  }
  const onSend = ({ contract, event }: Sent) => {
    go()
    return store.expect(contract.id, event, [...contract.levels.keys()])
  }
  return (
    <div class="live">
      <h1 class="unseen">Live</h1>
      <LiveBar
        {...{ input, inputs, filter, isPaused }}
        onInput={(name) => goTo('live', name)}
        onFilter={setFilter}
        onPause={() => (isPaused ? go() : setPaused(true))}
        onClear={clear}
        onSend={() => setSending(true)}
      />
      <Status view={view} isPaused={isPaused} held={store.total() - view.total} />
      {shown === undefined ? (
        <Waiting input={input} view={view} isFiltered={filter !== noFilter} />
      ) : (
        <div class="panes">
          <EventList
            events={view.events}
            outputs={input.outputs}
            selected={shown}
            onSelect={select}
            onScrollAway={() => setPaused(true)}
          />
          <Detail {...{ input, contracts, shown }} ingestUrl={calls.where.ingestUrl} />
        </div>
      )}
      {isSending ? (
        <Dialog title="Send a test event" wide onClose={() => setSending(false)}>
          <TestEvent
            {...{ session, contracts, inputs: [input], onSend }}
            onSent={() => setSending(false)}
          />
        </Dialog>
      ) : null}
    </div>
  )
}

type DetailProps = Pick<WatchingProps, 'input' | 'contracts'> & {
  readonly shown: LiveEvent
  readonly ingestUrl: string
}

const Detail = ({ input, contracts, shown, ingestUrl }: DetailProps) => (
  <EventDetail
    event={shown}
    input={input.name}
    outputs={input.outputs}
    contract={contracts.find(({ id }) => id === shown.contractId)}
    ingestUrl={ingestUrl}
  />
)

function Status({ view, isPaused, held }: { view: LiveView; isPaused: boolean; held: number }) {
  const troubles = [...view.states].filter(([, state]) => state !== 'open')
  return (
    <p class="status">
      <strong class="tally">{rate(isPaused ? 0 : view.perSecond)}</strong>
      <span class="muted">{compact(view.total)} received</span>
      {isPaused ? (
        <span class="paused">paused{held > 0 ? `, ${compact(held)} more` : ''}</span>
      ) : null}
      {troubles.map(([name, state]) => (
        <span key={name} class="trouble">
          {name}: {state}
        </span>
      ))}
    </p>
  )
}

type WaitingProps = { input: Input; view: LiveView; isFiltered: boolean }

function Waiting({ input, view, isFiltered }: WaitingProps) {
  if (isFiltered && view.total > 0)
    return <p class="empty">None of the newest events matches the filter.</p>
  const isOpen = [...view.states.values()].every((state) => state !== 'connecting')
  return (
    <div class="empty">
      <p>
        {isOpen ? 'Waiting for events of' : 'Connecting to'} <strong>{input.name}</strong> …
      </p>
      <p class="muted">New events appear here. Send a test event to follow it to every output.</p>
    </div>
  )
}
