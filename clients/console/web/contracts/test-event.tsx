// The form that sends a test event. A refusal is shown at the field that it names.
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import type { Session } from '../session.ts'
import { Refused } from '../api/calls.ts'
import type { Json } from '../api/json.ts'
import type { Contract, Input } from '../api/account.ts'
import { hrefOf } from '../place.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { useLevelWords, usePurposes } from '../purposes/use-purposes.ts'
import { Problems } from '../ui/problems.tsx'
import { useDoing } from '../ui/use-doing.ts'
import { consentField, eventOf, fieldIn, fieldsOf } from './event-form.ts'
import type { FormField } from './event-form.ts'
import { EventField } from './event-field.tsx'
import { samplesOf } from './samples.ts'
import { sendEvent } from './send-event.ts'

export type Sent = { readonly contract: Contract; readonly event: Json }

type Props = {
  readonly session: Session
  readonly contracts: readonly Contract[]
  readonly inputs: readonly Input[]
  /** Called before the event is sent. The returned function is called if sending fails. */
  readonly onSend?: ((sent: Sent) => () => void) | undefined
  /** Called once the event is stored. */
  readonly onSent?: (() => void) | undefined
}

export function TestEvent({ session, contracts, inputs, onSend, onSent }: Props) {
  const active = contracts.filter(({ status }) => status === 'active')
  const [id, setId] = useState(active[0]?.id)
  const [inputName, setInputName] = useState(inputs[0]?.name)
  const contract = active.find((one) => one.id === id) ?? active[0]
  const input = inputs.find(({ name }) => name === inputName) ?? inputs[0]
  if (contract === undefined)
    return (
      <p class="empty">There is no contract yet. A contract says what an event must look like.</p>
    )
  if (input === undefined)
    return (
      <p class="empty">
        There is no stream yet. <a href={hrefOf('streams')}>Create one</a>
      </p>
    )
  return (
    <>
      <div class="two">
        {active.length > 1 ? (
          <label>
            Contract
            <select value={contract.id} onChange={(event) => setId(event.currentTarget.value)}>
              {active.map((one) => (
                <option key={one.id}>{one.id}</option>
              ))}
            </select>
          </label>
        ) : null}
        {inputs.length > 1 ? (
          <label>
            Stream
            <select
              value={input.name}
              onChange={(event) => setInputName(event.currentTarget.value)}
            >
              {inputs.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      <Form key={contract.id} {...{ session, contract, input: input.name, onSend, onSent }} />
    </>
  )
}

type FormProps = Pick<Props, 'session' | 'onSend' | 'onSent'> & {
  contract: Contract
  input: string
}

function Form({ session, contract, input, onSend, onSent }: FormProps) {
  const fields = useMemo(() => fieldsOf(contract), [contract])
  const [values, setValues] = useState(() => samplesOf(contract, fields))
  const [consent, setConsent] = useState(() => levelsIn(contract))
  const [isStored, setStored] = useState(false)
  const formId = useId()
  const words = useLevelWords()
  const named = usePurposes().value
  const sending = useDoing(async () => {
    setStored(false)
    const event = eventOf(contract, { fields, values, consent })
    const forget = onSend?.({ contract, event })
    await sendEvent(session, { input, contractId: contract.id, event }).catch((error: unknown) => {
      forget?.()
      throw error
    })
    setStored(true)
    onSent?.()
  })
  const { refused, at } = useRefusal(sending.error, { contract, fields, formId })
  const eventField = (field: FormField) => (
    <EventField
      key={field.path}
      id={`${formId}-${field.path}`}
      field={field}
      hint={hintOf(contract, field, words)}
      value={values[field.path] ?? ''}
      problem={at === field.path ? refused : undefined}
      onValue={(value) => setValues((before) => ({ ...before, [field.path]: value }))}
    />
  )
  return (
    <form class="event-form" onSubmit={sending.onSubmit}>
      <div class="fields">
        <EventField
          id={`${formId}-${consentField.path}`}
          field={consentField}
          label="consent levels"
          hint={consentHint(named?.map(({ level }) => words(level)))}
          value={consent}
          problem={at === consentField.path ? refused : undefined}
          onValue={setConsent}
        />
        {fields.map((field) => eventField(field))}
      </div>
      <Problems of={at === undefined ? sending.error : undefined} />
      <footer>
        <p role="status">{isStored ? 'Stored: Kafka has the event.' : ''}</p>
        <button type="submit" class="main" disabled={sending.isDoing}>
          {sending.isDoing ? 'Sending …' : `Send to ${input}`}
        </button>
      </footer>
    </form>
  )
}

/** Finds the field that a refusal names, and focuses it. */
function useRefusal(
  error: unknown,
  form: { contract: Contract; fields: readonly FormField[]; formId: string },
): { refused: Refused | undefined; at: string | undefined } {
  const { contract, fields, formId } = form
  const refused = error instanceof Refused ? error : undefined
  const at = refused?.status === 400 ? fieldIn(refused.message, contract, fields) : undefined
  useEffect(() => {
    if (at !== undefined) document.getElementById(`${formId}-${at}`)?.focus()
  }, [refused])
  return { refused, at }
}

const consentHint = (named: readonly string[] = []): string =>
  `the levels that the person agreed to${named.length === 0 ? ', such as 0, 1' : `: ${named.join(', ')}`}`

/** Returns the default consent: the levels 0 to 2, and those of all fields, so that everything can be decrypted. */
const levelsIn = ({ levels }: Contract): string =>
  [...new Set([...levels.values(), 0, 1, 2])].sort((a, b) => a - b).join(', ')

function hintOf(
  { levels, keyField, validations }: Contract,
  { path, isNullable }: FormField,
  words: LevelWords,
): string {
  const level = levels.get(path)
  const rules = validations
    .filter(({ field }) => field === path)
    .map(({ pattern }) => `matches ${pattern}`)
  return [
    ...(path === keyField ? ['names the person'] : []),
    ...(level === undefined ? [] : [`personal, level ${words(level)}`]),
    ...(isNullable ? ['may be empty'] : []),
    ...rules,
  ].join(' · ')
}
