// One field of the test event's form, with its error below.
import type { Refused } from '../api/calls.ts'
import { Help } from '../ui/problems.tsx'
import type { FormField } from './event-form.ts'

type Props = {
  readonly id: string
  readonly field: FormField
  /** Default: the field's path. */
  readonly label?: string
  readonly hint: string
  readonly value: string
  readonly problem: Refused | undefined
  readonly onValue: (value: string) => void
}

export function EventField(props: Props) {
  const { id, field, label = field.path, hint, problem } = props
  const problemId = `${id}-problem`
  return (
    <div class={problem === undefined ? 'field' : 'field wrong'}>
      <label for={id}>
        {label} {hint === '' ? null : <span class="hint">{hint}</span>}
      </label>
      <Control {...props} describedBy={problem === undefined ? undefined : problemId} />
      {problem === undefined ? null : (
        <p class="problem" id={problemId} role="alert">
          {problem.message} <Help page={problem.help} />
        </p>
      )}
    </div>
  )
}

type ControlProps = Props & { readonly describedBy: string | undefined }

function Control({ id, field, value, onValue, describedBy }: ControlProps) {
  const state = { id, 'aria-describedby': describedBy, 'aria-invalid': describedBy !== undefined }
  if (field.kind === 'boolean' || field.kind === 'choice') {
    const choices = field.kind === 'boolean' ? ['false', 'true'] : field.symbols
    return (
      <select {...state} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {(field.isNullable ? ['', ...choices] : choices).map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  }
  if (field.kind === 'json')
    return (
      <textarea
        {...state}
        value={value}
        rows={Math.min(12, Math.max(2, value.split('\n').length))}
        placeholder="JSON"
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    )
  return (
    <input
      {...state}
      value={value}
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      placeholder={field.kind === 'list' ? 'a, b, …' : undefined}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}
