// Events of all example contracts, created from a seed. The same seed gives the same events in the same order. A number
// in a field that isn't personal identifies each event.
import {
  asObject,
  exampleContract,
  exampleContracts,
  exampleEvent,
  seededNumbers,
} from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'

export type SentEvent = {
  number: number
  contract: ExampleContract
  schemaId: string
  consentLevels: number[]
  /** The event as it is sent, in Avro JSON. */
  body: Record<string, unknown>
  person: string
}

type Shape = {
  contract: ExampleContract
  schemaId: string
  example: Record<string, unknown>
  keyField: string
  /** The levels by path. `customer/id` is the only path with two segments. */
  piiFields: Record<string, number>
}

/** The field that contains the number of an event. */
const numberField: Record<ExampleContract, string> = {
  clickstream: 'referrer',
  demo_v1: 'not_sensitive_value',
  demo_event: 'notSensitiveValue',
  nps_unified_v1: 'article_title',
  partner_nps_unified_v1: 'article_title',
}

const shapes: Shape[] = await Promise.all(
  Object.values(exampleContracts).map(async (contract) => {
    const { id, key_field: keyField, pii_fields: piiFields } = await exampleContract(contract)
    const example = await exampleEvent(contract)
    return {
      contract,
      schemaId: String(id),
      example,
      keyField: String(keyField),
      piiFields: Object(piiFields),
    }
  }),
)

/** Texts that are missing, empty, in another script, long, or similar to encrypted text. */
const texts = [
  '',
  'plain',
  'zażółć 🙂',
  'x'.repeat(500),
  'AdS8ATjVqwDsTfBy5UQOAlUQ5c0kNajKwepUtQqULoCq',
]

/** Creates `count` events of `people` persons, with various consents and contracts. */
export function makeEvents(count: number, people: number, seed: number): SentEvent[] {
  const random = seededNumbers(seed)
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)]
  return Array.from({ length: count }, (_, number) => {
    const shape = pick(shapes) ?? unreachable()
    const person = `person-${Math.floor(random() * people)}`
    const consentLevels = [0, 1, 2, 3, 9].filter(() => random() < 0.5)
    const body = structuredClone(shape.example)
    for (const path of Object.keys(shape.piiFields)) {
      const text = path === shape.keyField ? person : pick(texts)
      put(body, path, path === 'customer/id' ? `${text}-${number}` : text)
      if (path !== shape.keyField && path !== 'customer/id' && random() < 0.2) body[path] = null
    }
    put(body, numberField[shape.contract], `number ${number}`)
    body['svcMeta'] = { ...asObject(body['svcMeta']), consentLevels }
    return { number, person, consentLevels, body, ...pickOf(shape) }
  })
}

const pickOf = ({ contract, schemaId }: Shape) => ({ contract, schemaId })

/** Sets a field in the form that it has in the example: a string, or the string branch of a union. */
function put(body: Record<string, unknown>, path: string, text: unknown): void {
  const [name = '', inner] = path.split('/')
  if (inner !== undefined) return void (body[name] = { [inner]: text })
  body[name] = typeof body[name] === 'string' ? text : { string: text }
}

export function withConsent(event: SentEvent, consentLevels: number[]): SentEvent {
  const svcMeta = { ...asObject(event.body['svcMeta']), consentLevels }
  return { ...event, consentLevels, body: { ...event.body, svcMeta } }
}

/** Reads the number of an event from its plain JSON. */
export function numberOf(contract: ExampleContract, plain: Record<string, unknown>): number {
  const [, digits] = /^number (\d+)$/.exec(String(plain[numberField[contract]])) ?? []
  if (digits === undefined) throw new Error('an event without its number')
  return Number(digits)
}

export const contractOfSchemaId = (schemaId: string): ExampleContract =>
  shapes.find((shape) => shape.schemaId === schemaId)?.contract ?? unreachable()

function unreachable(): never {
  throw new Error('no such contract')
}
