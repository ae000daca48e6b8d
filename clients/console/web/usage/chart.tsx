// One uPlot chart, drawn again when its numbers, its width or the colours change. A text has the numbers, for people
// who can't see the chart.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

type Props = {
  readonly title: string
  /** Epoch seconds. */
  readonly times: readonly number[]
  readonly values: readonly number[]
  readonly show: (value: number) => string
  readonly tone: 'good' | 'bad'
}

const height = 190
const { bars } = uPlot.paths

export function Chart({ title, times, values, show, tone }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let chart: uPlot | undefined
    const draw = (): void => {
      chart?.destroy()
      chart = new uPlot(optionsOf(element, show, tone), [[...times], [...values]], element)
    }
    const colours = matchMedia('(prefers-color-scheme: dark)')
    const width = new ResizeObserver(() => chart?.setSize({ width: element.clientWidth, height }))
    draw()
    width.observe(element)
    colours.addEventListener('change', draw)
    return () => {
      width.disconnect()
      colours.removeEventListener('change', draw)
      chart?.destroy()
    }
  }, [times, values])
  const most = Math.max(0, ...values)
  return (
    <section class="card chart">
      <h2>{title}</h2>
      <div
        ref={place}
        role="img"
        aria-label={`${title}: ${values.length} intervals, at most ${show(most)}`}
      />
    </section>
  )
}

function optionsOf(element: HTMLElement, show: Props['show'], tone: Props['tone']): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: aroundBars },
      y: { range: (_self, _low, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      { ...axis, size: 30, values: (_self, splits) => splits.map(timeIn(splits)) },
      { ...axis, size: 72, values: (_self, splits) => splits.map(show) },
    ],
    series: [
      {},
      {
        fill: colour(`--${tone}`),
        width: 0,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars({ size: [0.7, 40], radius: 0.15 }) }),
      },
    ],
  }
}

/** Leaves room for half a bar on either side. */
const aroundBars: uPlot.Range.Function = ({ data: [times] }, from, to) => {
  const half = times.length > 1 ? (to - from) / (times.length - 1) / 2 : 30
  return [from - half, to + half]
}

const hour = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats ticks as hours if they are less than a day apart, else as days. */
const timeIn = ([first = 0, second = 0]: readonly number[]) => {
  const format = second - first < 86_400 ? hour : day
  return (seconds: number): string => format.format(seconds * 1000)
}
