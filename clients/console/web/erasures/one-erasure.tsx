// One erasure: how far it has got, by when the rest is expected, where decrypted values remain, and its receipt.
import type { Calls } from '../api/calls.ts'
import { erasureStates, receiptOf } from '../api/erasures.ts'
import type { Erasure, ErasureState } from '../api/erasures.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { byTime, dateAndTime, many } from '../ui/words.ts'
import { Holdings } from './holdings.tsx'

const inWords: Readonly<Record<ErasureState, string>> = {
  accepted: 'accepted',
  applied: 'applied everywhere',
  complete: 'complete',
  destroyed: 'keys destroyed',
}

type Props = { readonly calls: Calls; readonly input: string; readonly erasure: Erasure }

export function OneErasure({ calls, input, erasure }: Props) {
  const { id, values, found, levels, reference, outputs } = erasure
  const what = levels === undefined ? 'erased' : `withdrawn for level ${levels.join(', ')}`
  return (
    <li class="card">
      <p>
        <strong>
          {many(values, 'value')} {what}
        </strong>{' '}
        <span>{many(found, 'event')} found </span>
        {reference === '' ? null : <span>{reference} </span>}
        <code class="muted">{id}</code>
      </p>
      <ol class="states">
        {erasureStates.map((state) => (
          <li key={state} class={timeOf(erasure, state) === '' ? undefined : 'reached'}>
            <span>{inWords[state]}</span> <span class="muted small">{whenOf(erasure, state)}</span>
          </li>
        ))}
      </ol>
      <Holdings outputs={outputs} />
      <Receipt {...{ calls, input, erasure }} />
    </li>
  )
}

const timeOf = ({ states }: Erasure, state: ErasureState): string => states.get(state)?.at ?? ''

function whenOf(erasure: Erasure, state: ErasureState): string {
  const at = timeOf(erasure, state)
  if (at !== '') return dateAndTime(at)
  if (state === 'destroyed') return 'when the KEKs that protected the old keys are destroyed'
  return byTime(erasure.states.get(state)?.expectedBy ?? '')
}

function Receipt({ calls, input, erasure }: Props) {
  const downloading = useDoing(async () => {
    save(await receiptOf(calls, input, erasure.id), `receipt-${erasure.id}.jws`)
  })
  if (timeOf(erasure, 'complete') === '')
    return <p class="muted small">The receipt can be downloaded once the erasure is complete.</p>
  return (
    <>
      <button type="button" onClick={downloading.run} disabled={downloading.isDoing}>
        Download receipt
      </button>
      <Problems of={downloading.error} />
    </>
  )
}

function save(text: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/jose' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
