// A page about one input stream at a time: which one is in the address, and chosen in the bar on top.
import type { FunctionComponent } from 'preact'
import type { PageProps } from '../session.ts'
import type { Input } from '../api/account.ts'
import { listInputs } from '../api/resources.ts'
import { goTo } from '../place.ts'
import { Problems } from './problems.tsx'
import { useLoad } from './use-load.ts'

export type OfInputProps = {
  readonly calls: PageProps['session']['calls']
  readonly input: Input
  readonly inputs: readonly Input[]
}

type Props = PageProps & { readonly title: string; readonly of: FunctionComponent<OfInputProps> }

export function PageOfInput({ session: { calls }, place, title, of: OfInput }: Props) {
  const inputs = useLoad(() => listInputs(calls), [calls])
  const input = inputs.value?.find(({ name }) => name === place.name) ?? inputs.value?.[0]
  return (
    <>
      <h1>{title}</h1>
      <Problems of={inputs.error} />
      {inputs.value !== undefined && input === undefined ? (
        <p class="empty">There is no stream yet.</p>
      ) : null}
      {input === undefined ? null : (
        <OfInput key={input.name} {...{ calls, input }} inputs={inputs.value ?? []} />
      )}
    </>
  )
}

type ChoiceProps = Pick<OfInputProps, 'input' | 'inputs'> & { readonly page: string }

export function InputChoice({ input, inputs, page }: ChoiceProps) {
  return (
    <label>
      <span class="unseen">Stream</span>
      <select value={input.name} onChange={(event) => goTo(page, event.currentTarget.value)}>
        {inputs.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
