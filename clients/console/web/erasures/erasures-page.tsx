// Erased people and withdrawn consents: the states of the erasures, and what remains.
import { useEffect } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import { listErasures } from '../api/erasures.ts'
import { hrefOf } from '../place.ts'
import { InputChoice, PageOfInput } from '../ui/page-of-input.tsx'
import type { OfInputProps } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { OneErasure } from './one-erasure.tsx'

const refreshMs = 3_000

export const ErasuresPage = (props: PageProps) => (
  <PageOfInput {...props} title="Erasures" of={ErasuresOf} />
)

function ErasuresOf({ session, input, inputs }: OfInputProps) {
  const { calls } = session
  const erasures = useLoad(() => listErasures(calls, input.name), [calls, input])
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && erasures.reload(), refreshMs)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      <div class="bar">
        <InputChoice {...{ input, inputs }} page="erasures" />
        {session.may('officer') ? (
          <a class="button" href={hrefOf('people')}>
            Find a person
          </a>
        ) : null}
      </div>
      <Problems of={erasures.error} />
      {erasures.value?.length === 0 ? (
        <p class="empty">Nothing has been erased or withdrawn in {input.name}.</p>
      ) : (
        <ul class="erasures">
          {erasures.value?.map((erasure) => (
            <OneErasure key={erasure.id} {...{ session, erasure }} input={input.name} />
          ))}
        </ul>
      )}
    </>
  )
}
