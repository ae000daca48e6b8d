// A page about one input stream: the address names it, and the bar on top selects it.
import type { FunctionComponent } from 'preact'
import type { PageProps } from '../session.ts'
import type { Input } from '../api/account.ts'
import { listInputs } from '../api/resources.ts'
import { goTo, hrefOf } from '../place.ts'
import { Problems } from './problems.tsx'
import { useLoad } from './use-load.ts'

export type OfInputProps = {
  readonly session: PageProps['session']
  readonly input: Input
  readonly inputs: readonly Input[]
}

type Props = PageProps & { readonly title: string; readonly of: FunctionComponent<OfInputProps> }

export function PageOfInput({ session, place, title, of: OfInput }: Props) {
  const { calls } = session
  const inputs = useLoad(() => listInputs(calls), [calls])
  const input = chosenInput(inputs.value ?? [], place)
  return (
    <>
      <h1>{title}</h1>
      <Problems of={inputs.error} />
      {inputs.value !== undefined && input === undefined ? <NoInput place={place} /> : null}
      {input === undefined ? null : (
        <OfInput key={input.name} {...{ session, input }} inputs={inputs.value ?? []} />
      )}
    </>
  )
}

/** Returns the input that the address names; without a name, the first one. */
export const chosenInput = (
  inputs: readonly Input[],
  { name: wanted }: PageProps['place'],
): Input | undefined =>
  wanted === undefined ? inputs[0] : inputs.find(({ name }) => name === wanted)

export const NoInput = ({ place: { page, name } }: Pick<PageProps, 'place'>) => (
  <p class="empty">
    {name === undefined ? (
      <>
        There is no stream yet. Owners and developers create streams on the page{' '}
        <a href={hrefOf('streams')}>Streams</a>.
      </>
    ) : (
      <>
        The account has no stream {name}. <a href={hrefOf(page)}>Show another stream</a>
      </>
    )}
  </p>
)

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
