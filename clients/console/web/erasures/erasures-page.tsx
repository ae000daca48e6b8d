// Erased people and withdrawn consents: the states of the erasures, and what remains.
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import { listErasures } from '../api/erasures.ts'
import { hrefOf } from '../place.ts'
import { InputChoice, PageOfInput } from '../ui/page-of-input.tsx'
import type { OfInputProps } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { many } from '../ui/words.ts'
import { OneErasure } from './one-erasure.tsx'
import { anyErasure, isWanted, kinds } from './wanted.ts'
import type { Wanted } from './wanted.ts'

const refreshMs = 3_000

export const ErasuresPage = (props: PageProps) => (
  <PageOfInput {...props} title="Erasures and withdrawals" of={ErasuresOf} />
)

function ErasuresOf({ session, input, inputs }: OfInputProps) {
  const { calls } = session
  const [wanted, setWanted] = useState(anyErasure)
  const erasures = useLoad(() => listErasures(calls, input.name), [calls, input])
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && erasures.reload(), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const shown = erasures.value?.filter((erasure) => isWanted(erasure, wanted))
  return (
    <>
      <div class="bar">
        <InputChoice {...{ input, inputs }} page="erasures" />
        <Choice {...wanted} onChange={(change) => setWanted({ ...wanted, ...change })} />
        {session.may('officer') ? (
          <a class="button" href={hrefOf('people')}>
            Find a person
          </a>
        ) : null}
      </div>
      <Problems of={erasures.error} />
      {erasures.value?.length === 0 ? (
        <p class="empty">
          Nothing has been erased or withdrawn in {input.name}. Officers and owners do both on the
          page People, once they have found a person.
        </p>
      ) : shown?.length === 0 ? (
        <p class="empty">
          None of the {many(erasures.value?.length ?? 0, 'request')} matches. Requests do not name
          people: search for the reference.
        </p>
      ) : null}
      <ul class="erasures">
        {shown?.map((erasure) => (
          <OneErasure key={erasure.id} {...{ session, erasure }} input={input.name} />
        ))}
      </ul>
    </>
  )
}

type ChoiceProps = Wanted & { readonly onChange: (change: Partial<Wanted>) => void }

const Choice = ({ words, which, onChange }: ChoiceProps) => (
  <>
    <label class="grow">
      <span class="unseen">Requests with this reference or id</span>
      <input
        type="search"
        placeholder="Reference or id"
        value={words}
        onInput={(event) => onChange({ words: event.currentTarget.value })}
      />
    </label>
    <label>
      <span class="unseen">State</span>
      <select
        value={which}
        onChange={(event) =>
          onChange({ which: kinds.find((kind) => kind === event.currentTarget.value) ?? 'all' })
        }
      >
        {kinds.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
    </label>
  </>
)
