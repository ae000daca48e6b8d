// The received events, newest first, as a list of any length. Only visible rows are in the page. The arrow keys, Page
// Up and Down, Home and End change the selection.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Output } from '../api/account.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { timeOfDay } from '../ui/words.ts'
import { whyNot } from './event-table.ts'
import type { LiveEvent } from './live-store.ts'
import { summaryOf } from './summary.ts'

type Props = {
  readonly events: readonly LiveEvent[]
  readonly outputs: readonly Output[]
  readonly selected: LiveEvent | undefined
  readonly onSelect: (event: LiveEvent) => void
  /** Called when the user scrolls to older events, which should stay in place. */
  readonly onScrollAway: () => void
}

const rowHeight = 56
const beyond = 4

export function EventList({ events, outputs, selected, onSelect, onScrollAway }: Props) {
  const { list, top, height, measure } = useWindow(onScrollAway)
  const from = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const to = Math.min(events.length, Math.ceil((top + height) / rowHeight) + beyond)
  const at = selected === undefined ? -1 : events.indexOf(selected)
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(event.key, at, {
      last: events.length - 1,
      page: Math.floor(height / rowHeight),
    })
    const target = next === undefined ? undefined : events[next]
    if (next === undefined || target === undefined) return
    event.preventDefault()
    onSelect(target)
    reveal(list.current, next)
  }
  return (
    <div
      ref={list}
      class="events"
      role="listbox"
      aria-label="Events, newest first"
      aria-activedescendant={at >= from && at < to ? `event-${selected?.id}` : undefined}
      tabIndex={0}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div class="all" style={{ height: `${events.length * rowHeight}px` }}>
        {events.slice(from, to).map((event, index) => (
          <Row
            key={event.id}
            {...{ event, outputs, onSelect }}
            isSelected={event === selected}
            at={from + index}
            count={events.length}
          />
        ))}
      </div>
    </div>
  )
}

/** The visible part of the list. */
function useWindow(onScrollAway: () => void) {
  const list = useRef<HTMLDivElement>(null)
  const [seen, setWindow] = useState({ top: 0, height: 600 })
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 0 } = list.current ?? {}
    setWindow({ top: scrollTop, height: clientHeight })
    if (scrollTop > rowHeight) onScrollAway()
  }
  useEffect(() => {
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  return { list, ...seen, measure }
}

type RowProps = Pick<Props, 'outputs' | 'onSelect'> & {
  readonly event: LiveEvent
  readonly isSelected: boolean
  readonly at: number
  readonly count: number
}

function Row({ event, outputs, onSelect, isSelected, at, count }: RowProps) {
  return (
    <div
      id={`event-${event.id}`}
      class="event"
      role="option"
      aria-selected={isSelected}
      aria-posinset={at + 1}
      aria-setsize={count}
      style={{ top: `${at * rowHeight}px` }}
      onClick={() => onSelect(event)}
    >
      <Line event={event} outputs={outputs} />
    </div>
  )
}

function Line({ event, outputs }: { event: LiveEvent; outputs: readonly Output[] }) {
  return (
    <>
      <span class="contract">{event.contractId}</span>
      <span class="when">{timeOfDay(event.atMs)}</span>
      <span class="what">{summaryOf(event)}</span>
      <span class="where">
        {outputs.map((output) => (
          <Dot key={output.name} event={event} output={output} />
        ))}
      </span>
    </>
  )
}

/** Shows a full dot if the stream got the event, else a hollow one with the reason. */
function Dot({ event, output }: { event: LiveEvent; output: Output }) {
  const words = useLevelWords()
  const passed = event.opened.has(output.name)
  const title = `${output.name}: ${passed ? 'passed' : whyNot(event, output, words)}`
  return <span class={passed ? 'dot passed' : 'dot'} role="img" aria-label={title} title={title} />
}

function moved(
  key: string,
  at: number,
  { last, page }: { last: number; page: number },
): number | undefined {
  const to: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  }
  const wanted = to[key]
  return wanted === undefined ? undefined : Math.min(last, Math.max(0, wanted))
}

function reveal(list: HTMLElement | null, index: number): void {
  if (list === null) return
  const top = index * rowHeight
  if (top < list.scrollTop) list.scrollTop = top
  const bottom = top + rowHeight - list.clientHeight
  if (bottom > list.scrollTop) list.scrollTop = bottom
}
