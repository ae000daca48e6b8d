// People who were forgotten and consents that were withdrawn: how far each erasure has got, and a form for a new one.
// A value that is typed here goes to auth and is shown nowhere again.
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import { erasureStates, listErasures, type Erasure } from '../api/resources.ts'
import { InputChoice, PageOfInput, type OfInputProps } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { dateAndTime, many } from '../ui/words.ts'
import { ForgetForm } from './forget-form.tsx'

const lookAgainMs = 3_000
const inWords: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  applied: 'applied everywhere',
  complete: 'complete',
  destroyed: 'keys destroyed',
}

export const ErasuresPage = (props: PageProps) => (
  <PageOfInput {...props} title="Erasures" of={ErasuresOf} />
)

function ErasuresOf({ calls, input, inputs }: OfInputProps) {
  const [isForgetting, setForgetting] = useState(false)
  const erasures = useLoad(() => listErasures(calls, input.name), [calls, input])
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && erasures.reload(), lookAgainMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <div class="bar">
        <InputChoice {...{ input, inputs }} page="erasures" />
        <button type="button" class="main" onClick={() => setForgetting(true)}>
          Forget a person
        </button>
      </div>
      <Problems of={erasures.error} />
      {erasures.value?.length === 0 ? (
        <p class="empty">Nobody of {input.name} has been forgotten.</p>
      ) : (
        <ul class="erasures">
          {erasures.value?.map((erasure) => (
            <OneErasure key={erasure.id} erasure={erasure} />
          ))}
        </ul>
      )}
      {isForgetting ? (
        <ForgetForm
          {...{ calls, input }}
          onClose={() => setForgetting(false)}
          onDone={erasures.reload}
        />
      ) : null}
    </>
  )
}

function OneErasure({ erasure }: { erasure: Erasure }) {
  const { id, values, fromLevel, times } = erasure
  const what = fromLevel === undefined ? 'forgotten' : `withdrawn from level ${fromLevel} up`
  return (
    <li class="card">
      <p>
        <strong>
          {many(values, 'value')} {what}
        </strong>{' '}
        <code class="muted">{id}</code>
      </p>
      <ol class="states">
        {erasureStates.map((state) => {
          const at = times.get(state) ?? ''
          return (
            <li key={state} class={at === '' ? undefined : 'reached'}>
              <span>{inWords[state]}</span>{' '}
              <span class="muted small">{at === '' ? 'not yet' : dateAndTime(at)}</span>
            </li>
          )
        })}
      </ol>
    </li>
  )
}
