// The events that a run sends. Each `TortureEvent` determines the content of an event. avsc encodes and decodes them, so
// nothing here relies on the code under test.
import avsc, { type Type } from 'avsc'

import { asObject, exampleContract, exampleEvent, textIn } from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'

export type Plain = Record<string, unknown>

export type Kind = {
  readonly name: ExampleContract
  /** The value of the `Svc-Schema-Id` header. */
  readonly id: string
  readonly keyField: string
  /** Levels of the personal fields, by path. */
  readonly levels: ReadonlyMap<string, number>
  /** A field that isn't personal. It contains the event's mark. */
  readonly markField: string
  readonly type: Type
  readonly template: Plain
}

/** An event as its sender knows it. */
export type TortureEvent = {
  /** Unique in a run, counted from 0. */
  readonly number: number
  readonly kind: Kind
  /** The input stream's name. */
  readonly stream: string
  readonly person: string
  readonly consentLevels: readonly number[]
}

const markFields = {
  clickstream: 'eventType',
  demo_v1: 'not_sensitive_value',
  demo_event: 'notSensitiveValue',
  nps_unified_v1: 'article_title',
} as const
export type KindName = keyof typeof markFields

export async function loadKinds(): Promise<Kind[]> {
  return Promise.all([
    loadKind('clickstream'),
    loadKind('demo_v1'),
    loadKind('demo_event'),
    loadKind('nps_unified_v1'),
  ])
}

async function loadKind(name: KindName): Promise<Kind> {
  const contract = await exampleContract(name)
  const schema = JSON.stringify(asObject(contract['schema'])['definition'])
  const type = avsc.Type.forSchema(JSON.parse(schema))
  const example = JSON.stringify(await exampleEvent(name))
  return {
    name,
    id: textIn(contract, 'id'),
    keyField: textIn(contract, 'key_field'),
    levels: new Map(
      Object.entries(asObject(contract['pii_fields'])).map(([path, level]) => [
        path,
        Number(level),
      ]),
    ),
    markField: markFields[name],
    type,
    template: asObject(type.fromString(example)),
  }
}

export const markOf = (number: number): string => `mark-${String(number).padStart(8, '0')}`

export function numberOf(mark: unknown): number | undefined {
  const [, digits] = /^mark-(\d{8})$/.exec(String(mark)) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Every event whose number is a multiple of this has null in its nullable personal fields. */
const NULL_EVERY = 7

/** Returns the values of the personal fields by path. No value is a part of another value. */
export function piiOf({ number, kind, person }: TortureEvent): Map<string, string | null> {
  const values = new Map<string, string | null>()
  for (const path of kind.levels.keys()) {
    if (path === kind.keyField) values.set(path, person)
    else if (number % NULL_EVERY === 0 && mayBeNull(kind, path)) values.set(path, null)
    else values.set(path, `private ${path} of ${markOf(number)}`)
  }
  return values
}

export const personNamed = (stream: string, index: number): string =>
  `person ${String(index).padStart(4, '0')} of ${stream}`

export function plainEventOf(event: TortureEvent): Plain {
  const { kind, number, consentLevels } = event
  const plain = decode(kind, kind.type.toBuffer(kind.template))
  asObject(plain['svcMeta'])['consentLevels'] = [...consentLevels]
  plain[kind.markField] = markOf(number)
  for (const [path, value] of piiOf(event)) putAt(plain, path, value)
  return plain
}

export const decode = (kind: Kind, datum: Buffer): Plain => asObject(kind.type.fromBuffer(datum))

export function plainValueAt(plain: Plain, path: string): unknown {
  const { holder, name } = placeIn(plain, path)
  return holder[name]
}

export function putAt(plain: Plain, path: string, value: unknown): void {
  const { holder, name } = placeIn(plain, path)
  holder[name] = value
}

function placeIn(plain: Plain, path: string): { holder: Plain; name: string } {
  const steps = path.split('/')
  const name = steps.pop() ?? ''
  let holder = plain
  for (const step of steps) holder = asObject(holder[step])
  return { holder, name }
}

function mayBeNull({ type, template }: Kind, path: string): boolean {
  const copy = asObject(type.fromBuffer(type.toBuffer(template)))
  putAt(copy, path, null)
  return type.isValid(copy)
}
