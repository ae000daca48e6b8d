// The live view's controls: they select a stream, filter events, and pause.
import type { Input } from '../api/account.ts'
import { noFilter } from './filter.ts'
import type { Filter } from './filter.ts'

type Props = {
  readonly input: Input
  readonly inputs: readonly Input[]
  readonly filter: Filter
  readonly isPaused: boolean
  readonly onInput: (name: string) => void
  readonly onFilter: (filter: Filter) => void
  readonly onPause: () => void
  readonly onClear: () => void
  readonly onSend: () => void
}

export function LiveBar(props: Props) {
  const { input, inputs, filter, isPaused, onFilter } = props
  return (
    <div class="bar" role="group" aria-label="What is shown">
      <label>
        <span class="unseen">Stream</span>
        <select value={input.name} onChange={(event) => props.onInput(event.currentTarget.value)}>
          {inputs.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="grow">
        <span class="unseen">Events that contain these words</span>
        <input
          type="search"
          placeholder="Filter by words"
          value={filter.words}
          onInput={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        />
      </label>
      <ByOutput {...{ input, filter, onFilter }} />
      <button type="button" aria-pressed={isPaused} onClick={props.onPause}>
        {isPaused ? 'Continue' : 'Pause'}
      </button>
      <button type="button" class="quiet" onClick={props.onClear}>
        Clear
      </button>
      <button type="button" class="main" onClick={props.onSend}>
        Send a test event
      </button>
    </div>
  )
}

function ByOutput({ input, filter, onFilter }: Pick<Props, 'input' | 'filter' | 'onFilter'>) {
  return (
    <label>
      <span class="unseen">By output</span>
      <select
        value={chosen(filter)}
        onChange={(event) => onFilter({ ...filter, ...choiceOf(event.currentTarget.value) })}
      >
        <option value="">all events</option>
        {input.outputs.map(({ name }) => (
          <option key={name} value={`passed ${name}`}>
            in {name}
          </option>
        ))}
        {input.outputs.map(({ name }) => (
          <option key={name} value={`filtered ${name}`}>
            not in {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const chosen = ({ stream, wants }: Filter): string =>
  stream === undefined ? '' : `${wants} ${stream}`

function choiceOf(value: string): Pick<Filter, 'stream' | 'wants'> {
  const [wants, stream] = value.split(' ')
  return { stream, wants: wants === 'filtered' ? 'filtered' : noFilter.wants }
}
