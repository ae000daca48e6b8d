// Generates events of a contract. Each event belongs to a session with one person and one list of consents. The other
// values change from event to event. Pure, with random numbers as input.
import { misuse } from '../errors.ts'
import { listAt, textAt, valueAt } from '../json.ts'
import { sampleOf } from './avro-sample.ts'
import { textFor } from './sample-texts.ts'

export type EventPlan = {
  /** A contract, as auth returns it. */
  readonly contract: unknown
  readonly sessions: number
  /** The possible consents of sessions; each session has one of these lists. */
  readonly levels: readonly (readonly number[])[]
  /** Distinguishes the sessions of two runs. */
  readonly run: string
  /** Like `Math.random`. */
  readonly random: () => number
}

/**
 * Returns a function that returns one event per call, as Avro JSON. @throws CliError for a contract that it can't
 * create values for
 */
export function createEvents(plan: EventPlan): () => string {
  const { contract, sessions, levels, run, random } = plan
  const definition = valueAt(contract, 'schema', 'definition')
  const schemaText = typeof definition === 'string' ? definition : JSON.stringify(definition)
  const keyField = textAt(contract, 'key_field')
  if (definition === undefined || keyField === undefined)
    throw misuse('the response of auth is not a contract')
  const patternsOf = patternsIn(contract)
  const texts = new Map<string, ReturnType<typeof textFor>>()
  const make = sampleOf(schemaText)
  const number = (end: number): number => Math.floor(random() * end)
  const turns = new Map<number, number>()
  return () => {
    const person = number(sessions)
    const turn = (turns.get(person) ?? number(1_000)) + 1
    turns.set(person, turn)
    const event = make({
      number,
      isThere: (path) => !path.startsWith('svcMeta/') || path === 'svcMeta/consentLevels',
      instead: (path) =>
        path === 'svcMeta/consentLevels' ? levels[person % levels.length] : undefined,
      text(path) {
        if (path.startsWith('svcMeta/')) return ''
        const known = texts.get(path) ?? textFor(path, patternsOf(path))
        texts.set(path, known)
        const text = known({ person, turn })
        if (path !== keyField) return text
        const own = `${text}-${run}`
        return patternsOf(path).every((pattern) => pattern.test(own)) ? own : text
      },
    })
    return JSON.stringify(event)
  }
}

function patternsIn(contract: unknown): (path: string) => readonly RegExp[] {
  const byPath = new Map<string, RegExp[]>()
  for (const validation of listAt(contract, 'validations')) {
    const path = textAt(validation, 'field') ?? ''
    const pattern = new RegExp(textAt(validation, 'value') ?? '')
    byPath.set(path, [...(byPath.get(path) ?? []), pattern])
  }
  return (path) => byPath.get(path) ?? []
}
