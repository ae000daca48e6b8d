// One input stream with its derived streams, as a picture: events come in from the left, and an arrow leads to each
// derived stream, with its rate and its lag.
import type { Input, Output } from '../api/account.ts'
import { levelsInWords } from '../live/levels.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords } from '../purposes/use-purposes.ts'
import { compact, many, rate } from '../ui/words.ts'
import type { Flow } from './use-flows.ts'

type Props = { readonly input: Input; readonly flows: ReadonlyMap<string, Flow> }

const rowHeight = 76
const boxHeight = 52
const width = 960
const inputBox = { x: 150, width: 210 }
const outputBox = { x: 620, width: 330 }

/** Shows a list on a phone, because the picture would be wider than the screen. */
export function Picture(props: Props) {
  const words = useLevelWords()
  return (
    <>
      <Drawing {...props} />
      <ul class="told">
        {props.input.outputs.map((output) => (
          <li key={output.name}>{toldOf(output, { flow: props.flows.get(output.name), words })}</li>
        ))}
      </ul>
    </>
  )
}

function Drawing({ input, flows }: Props) {
  const { outputs } = input
  const words = useLevelWords()
  const height = Math.max(1, outputs.length) * rowHeight
  const middle = height / 2
  const stored = Math.max(0, ...outputs.map(({ name }) => flows.get(name)?.rates?.stored ?? 0))
  const isKnown = outputs.some(({ name }) => flows.get(name)?.rates !== undefined)
  return (
    <svg
      class="picture"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={inWords(input, { flows, words })}
    >
      <path class={lineClass(stored)} d={`M8 ${middle}H${inputBox.x - 12}`} />
      <Tip x={inputBox.x - 2} y={middle} />
      <text class="rate" x={68} y={middle - 10}>
        {isKnown ? rate(stored) : '–'}
      </text>
      <text class="quiet" x={68} y={middle + 20}>
        producers
      </text>
      {outputs.map((output, index) => {
        const y = index * rowHeight + rowHeight / 2
        return <Arrow key={output.name} {...{ output, middle, y }} flow={flows.get(output.name)} />
      })}
      <Box
        {...inputBox}
        y={middle}
        name={input.name}
        under={`input, ${many(input.partitions, 'partition')}`}
        isOff={!input.enabled}
        kind="input"
      />
      {outputs.map((output, index) => (
        <Box
          key={output.name}
          {...outputBox}
          y={index * rowHeight + rowHeight / 2}
          name={output.name}
          under={underOf(output, words)}
          isOff={!output.enabled}
          kind="output"
        />
      ))}
    </svg>
  )
}

type ArrowProps = { output: Output; middle: number; y: number; flow: Flow | undefined }

function Arrow({ middle, y, flow }: ArrowProps) {
  const from = inputBox.x + inputBox.width
  const to = outputBox.x
  const bend = from + 70
  const d = `M${from} ${middle}C${bend} ${middle} ${from + 30} ${y} ${from + 110} ${y}H${to - 12}`
  const derived = flow?.rates?.derived ?? 0
  const lag = flow?.lag.lag ?? 0
  return (
    <>
      <path class={lineClass(derived)} d={d} />
      <Tip x={to - 2} y={y} />
      <text class="rate" x={to - 80} y={y - 9}>
        {flow?.rates === undefined ? '–' : rate(derived)}
      </text>
      <text class={lag > 0 ? 'lag' : 'quiet'} x={to - 80} y={y + 19}>
        {flow === undefined ? '' : lagInWords(flow)}
      </text>
    </>
  )
}

function lagInWords({ lag }: Flow): string {
  const dead = lag.dead !== undefined && lag.dead > 0 ? `, ${compact(lag.dead)} dead` : ''
  return `lag ${compact(lag.lag)}${dead}`
}

const lineClass = (perSecond: number): string => (perSecond > 0 ? 'line flowing' : 'line')

const Tip = ({ x, y }: { x: number; y: number }) => <path class="tip" d={`M${x} ${y}l-11 -5v10z`} />

type BoxProps = {
  x: number
  width: number
  y: number
  name: string
  under: string
  isOff: boolean
  kind: 'input' | 'output'
}

function Box({ x, width: wide, y, name, under, isOff, kind }: BoxProps) {
  const below = isOff ? `${under}, disabled` : under
  return (
    <g class={`box ${kind}${isOff ? ' off' : ''}`}>
      <rect x={x} y={y - boxHeight / 2} width={wide} height={boxHeight} rx={10} />
      <foreignObject x={x + 16} y={y - boxHeight / 2} width={wide - 32} height={boxHeight}>
        <div class="name">{name}</div>
        <div class="under">{below}</div>
      </foreignObject>
      <title>{`${name}, ${below}`}</title>
    </g>
  )
}

const underOf = (output: Output, words: LevelWords): string =>
  `${output.keyMaxAgeSeconds === undefined ? 'decrypts' : 'readers decrypt'} ${levelsInWords(output, words)}`

type Telling = { readonly flow: Flow | undefined; readonly words: LevelWords }

function toldOf(output: Output, { flow, words }: Telling): string {
  const now = flow === undefined ? '' : `, ${rate(flow.rates?.derived ?? 0)}, ${lagInWords(flow)}`
  return `${output.name}: ${underOf(output, words)}${now}`
}

type All = Pick<Props, 'flows'> & { readonly words: LevelWords }

function inWords({ name, outputs }: Input, { flows, words }: All): string {
  const told = outputs.map((output) => toldOf(output, { flow: flows.get(output.name), words }))
  return `${name} leads to ${told.length === 0 ? 'no derived stream' : told.join('; ')}`
}
