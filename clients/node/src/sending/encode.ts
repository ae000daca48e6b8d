// Encodes events as Avro with the contract's schema, or as JSON if only the contract's id is known. Joins events into
// the body of one request (docs/wire-format.md, Many events in one request). Errors name a field, but never its value.
import avro from 'avsc'
import type { Contract } from '../contract.ts'
import { schemaOf } from '../contract.ts'
import { RejectedError } from '../errors.ts'
import { isObject, memberOf } from '../json.ts'
import { rememberLogical } from './logical.ts'
import { branchesOf, misfitIn, misfitOf } from './misfit.ts'

export type Encoding = {
  readonly schemaId: string
  readonly contentTypes: { readonly one: string; readonly many: string }
  /** @throws RejectedError `invalid_event` */
  encode(event: object): Buffer
  join(events: readonly Buffer[]): Buffer
}

export const encodingOf = (contract: Contract<object> | string): Encoding =>
  typeof contract === 'string' ? jsonEncoding(contract) : avroEncoding(contract)

// --- JSON ---

const jsonEncoding = (schemaId: string): Encoding => ({
  schemaId,
  contentTypes: { one: 'application/json', many: 'application/x-ndjson' },
  encode(event) {
    try {
      return Buffer.from(JSON.stringify(event))
    } catch {
      throw new RejectedError('invalid_event', 'The event cannot be written as JSON')
    }
  },
  join: (events) => joined(events, { before: 0, after: 1, mark: (body, at) => (body[at] = 0x0a) }),
})

// --- Avro ---

function avroEncoding(contract: Contract<object>): Encoding {
  const type = typeOf(contract)
  const complete = completion(type)
  return {
    schemaId: contract.id,
    contentTypes: { one: 'avro/binary', many: 'application/x-avro-batch' },
    encode(given) {
      const event = complete(given)
      // Without this check, avsc silently drops members that the schema doesn't have.
      if (!isValid(type, event)) throw misfitOf(type, event)
      const bytes = type.toBuffer(event)
      if (bytes.includes(replacement) || bytes.includes(surrogate))
        refuseLoneSurrogates(event, [], (path, sentence) => misfitIn(type, event, path, sentence))
      return bytes
    },
    join: (events) =>
      joined(events, {
        before: 4,
        after: 0,
        mark: (body, at, length) => body.writeUInt32BE(length, at),
      }),
  }
}

function isValid(type: avro.Type, event: object): boolean {
  try {
    return type.isValid(event, { noUndeclaredFields: true })
  } catch (error) {
    // avsc throws for a BigInt, because it calculates with values as numbers.
    const path = bigIntIn(event)
    if (path === undefined) throw error
    throw misfitIn(type, event, path, 'is a BigInt, which Avro does not have; give a number')
  }
}

function bigIntIn(value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (typeof value === 'bigint') return path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = bigIntIn(member, [...path, name])
    if (found !== undefined) return found
  }
  return undefined
}

function typeOf(contract: Contract<object>): avro.Type {
  const schema = schemaOf(contract)
  try {
    // `auto`: values of a union are plain, or {"name": value} if two branches have the same JavaScript type.
    return avro.Type.forSchema(asSchema(schema), {
      wrapUnions: 'auto',
      typeHook: rememberLogical,
    })
  } catch (error) {
    const message = `the schema of the contract ${contract.id} isn't Avro: ${String(error)}`
    throw new RejectedError('invalid_contract', message)
  }
}

/** Parsed JSON has no certain type, but avsc checks the schema. */
const asSchema = (schema: unknown): avro.Schema => schema as avro.Schema

const envelopeName = 'svcMeta'
/** The members of the envelope that ingest overwrites (docs/wire-format.md, Ingest). */
const filledByIngest = new Set([
  'schemaId',
  'eventContractRef',
  'nonce',
  'timestamp',
  'keyLink',
  'billingId',
])

/** Returns a function that adds blank values for the envelope's members that ingest fills in. */
function completion(type: avro.Type): (event: object) => object {
  const envelope = fieldsOf(type).find(({ name }) => name === envelopeName)
  const blank: Record<string, unknown> = {}
  for (const { name, type: member } of envelope === undefined ? [] : fieldsOf(envelope.type))
    if (filledByIngest.has(name)) blank[name] = blankOf(member)
  return (event) => {
    const given = memberOf(event, envelopeName)
    return isObject(given) ? { ...event, [envelopeName]: { ...blank, ...given } } : event
  }
}

function fieldsOf(type: avro.Type): readonly { name: string; type: avro.Type }[] {
  if (type instanceof avro.types.RecordType) return type.fields
  const branches = branchesOf(type)
  return branches.flatMap((branch) => (branch.typeName === 'record' ? fieldsOf(branch) : []))
}

function blankOf(type: avro.Type): unknown {
  if (branchesOf(type).some(({ typeName }) => typeName === 'null')) return null
  return type.typeName === 'string' ? '' : 0
}

/**
 * For a lone surrogate, avsc writes `replacement` in a long string, and bytes that begin with `surrogate` in a short
 * string. Valid strings can contain both, too.
 */
const replacement = Buffer.from('\ufffd')
const surrogate = 0xed

function refuseLoneSurrogates(
  value: unknown,
  path: readonly string[],
  misfit: (path: readonly string[], sentence: string) => RejectedError,
): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw misfit(path, 'is not a string of well-formed Unicode')
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (!name.isWellFormed()) throw misfit(path, 'has a key that is not well-formed Unicode')
    refuseLoneSurrogates(member, [...path, name], misfit)
  }
}

// --- bodies ---

type Framing = {
  readonly before: number
  readonly after: number
  mark(body: Buffer, at: number, length: number): void
}

/**
 * Joins the events with one copy. Leaves `before` or `after` bytes of room at each event for its length or separator.
 */
function joined(events: readonly Buffer[], { before, after, mark }: Framing): Buffer {
  let length = 0
  for (const event of events) length += before + event.length + after
  const body = Buffer.allocUnsafe(length)
  let at = 0
  for (const event of events) {
    event.copy(body, at + before)
    mark(body, before > 0 ? at : at + event.length, event.length)
    at += before + event.length + after
  }
  return body
}
