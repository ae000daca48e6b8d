// People who were erased and consents that were withdrawn: how far each has got, what remains of it, and the ways to ask for
// more. A value that is typed here goes to auth and is shown nowhere again.
import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../session.ts'
import { listErasures } from '../api/erasures.ts'
import type { Made } from '../api/erasures.ts'
import { InputChoice, PageOfInput } from '../ui/page-of-input.tsx'
import type { OfInputProps } from '../ui/page-of-input.tsx'
import { Problems } from '../ui/problems.tsx'
import { useLoad } from '../ui/use-load.ts'
import { LookUp } from './look-up.tsx'
import { MadeDialog } from './made-dialog.tsx'
import { OneErasure } from './one-erasure.tsx'
import { PersonForm } from './person-form.tsx'
import type { Kind } from './person-form.tsx'

type Form = Kind | 'look up'

const refreshMs = 3_000

export const ErasuresPage = (props: PageProps) => (
  <PageOfInput {...props} title="Erasures" of={ErasuresOf} />
)

function ErasuresOf({ calls, input, inputs }: OfInputProps) {
  const [open, setOpen] = useState<Form>()
  const [made, setMade] = useState<Made>()
  const erasures = useLoad(() => listErasures(calls, input.name), [calls, input])
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && erasures.reload(), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const close = (): void => setOpen(undefined)
  const onDone = (done: Made): void => {
    close()
    setMade(done)
    erasures.reload()
  }
  return (
    <>
      <div class="bar">
        <InputChoice {...{ input, inputs }} page="erasures" />
        <Buttons onOpen={setOpen} />
      </div>
      <Problems of={erasures.error} />
      {erasures.value?.length === 0 ? (
        <p class="empty">Nothing has been erased or withdrawn in {input.name}.</p>
      ) : (
        <ul class="erasures">
          {erasures.value?.map((erasure) => (
            <OneErasure key={erasure.id} {...{ calls, erasure }} input={input.name} />
          ))}
        </ul>
      )}
      {open === 'look up' ? <LookUp {...{ calls, input }} onClose={close} /> : null}
      {open === 'erase' || open === 'withdraw' ? (
        <PersonForm key={open} kind={open} {...{ calls, input, onDone }} onClose={close} />
      ) : null}
      {made === undefined ? null : <MadeDialog made={made} onClose={() => setMade(undefined)} />}
    </>
  )
}

function Buttons({ onOpen }: { onOpen: (form: Form) => void }) {
  return (
    <>
      <button type="button" class="main" onClick={() => onOpen('erase')}>
        Erase a person
      </button>
      <button type="button" onClick={() => onOpen('withdraw')}>
        Withdraw consent
      </button>
      <button type="button" onClick={() => onOpen('look up')}>
        Look up a data subject
      </button>
    </>
  )
}
