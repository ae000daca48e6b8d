// The usage of an input stream: events, bytes and refusals over time, as charts and as totals.
import { useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import type { Input } from '../api/account.ts'
import { usageOf, usageSteps } from '../api/resources.ts'
import type { UsagePiece, UsageStep } from '../api/resources.ts'
import { InputChoice, PageOfInput } from '../ui/page-of-input.tsx'
import type { OfInputProps } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { bytes, count } from '../ui/words.ts'
import { Chart } from './chart.tsx'

const steps = {
  '1m': 'the last hour, by minute',
  '15m': 'the last day, in steps of 15 minutes',
  '1h': 'the last day, by hour',
  '1d': 'the last 30 days, by day',
} satisfies Record<UsageStep, string>

export const UsagePage = (props: PageProps) => <PageOfInput {...props} title="Usage" of={UsageOf} />

function UsageOf({ session: { calls }, input, inputs }: OfInputProps) {
  const [by, setBy] = useState<UsageStep>('1m')
  const usage = useLoad(() => usageOf(calls, input.name, by), [calls, input, by])
  return (
    <>
      <div class="bar">
        <InputChoice {...{ input, inputs }} page="usage" />
        <label>
          <span class="unseen">Time</span>
          <select
            value={by}
            onChange={(event) =>
              setBy(usageSteps.find((step) => step === event.currentTarget.value) ?? '1m')
            }
          >
            {usageSteps.map((step) => (
              <option key={step} value={step}>
                {steps[step]}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={usage.reload}>
          Refresh
        </button>
      </div>
      <Problems of={usage.error} />
      {usage.value === undefined ? null : (
        <>
          <Charts pieces={usage.value} input={input} />
          <Refusals pieces={usage.value} authUrl={calls.where.authUrl} />
        </>
      )}
    </>
  )
}

function Charts({ pieces, input }: { pieces: readonly UsagePiece[]; input: Input }) {
  const sum = (of: (piece: UsagePiece) => number): number =>
    pieces.reduce((all, piece) => all + of(piece), 0)
  const times = pieces.map(({ from }) => Date.parse(from) / 1000)
  const totals = [
    ['events', count(sum(({ events }) => events))],
    ['bytes', bytes(sum((piece) => piece.bytes))],
    ['refused', count(sum(refusedOf))],
    ['limit per second', count(Number(input.eventRate))],
    ['limit per month', count(Number(input.eventCount))],
  ] as const
  return (
    <>
      <dl class="totals">
        {totals.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Chart
        title="Events stored"
        times={times}
        values={pieces.map(({ events }) => events)}
        show={count}
        tone="good"
      />
      <Chart
        title="Bytes stored"
        times={times}
        values={pieces.map((piece) => piece.bytes)}
        show={bytes}
        tone="good"
      />
      <Chart title="Refused" times={times} values={pieces.map(refusedOf)} show={count} tone="bad" />
    </>
  )
}

const refusedOf = ({ refused }: UsagePiece): number =>
  [...refused.values()].reduce((sum, number) => sum + number, 0)

/** Lists each error code with its page, the most frequent first. */
function Refusals({ pieces, authUrl }: { pieces: readonly UsagePiece[]; authUrl: string }) {
  const numbers = new Map<string, number>()
  for (const { refused } of pieces)
    for (const [code, number] of refused) numbers.set(code, (numbers.get(code) ?? 0) + number)
  if (numbers.size === 0) return null
  return (
    <ul aria-label="Refused by error code">
      {[...numbers]
        .sort(([, a], [, b]) => b - a)
        .map(([code, number]) => (
          <li key={code}>
            <a href={`${authUrl}/docs/errors/${code}.html`} target="_blank" rel="noreferrer">
              {code}
            </a>
            : {count(number)}
          </li>
        ))}
    </ul>
  )
}
