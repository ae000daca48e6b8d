// Determines from the headers how a request's body contains its events.
import { createEventFrames } from './event-frames.ts'
import { createEventLines } from './event-lines.ts'
import { refusal } from '../errors.ts'
import type { Framing } from './framing.ts'

/** The form of each event, and how to split the body into events. */
export type BatchForm = {
  readonly form: 'json' | 'avro'
  readonly createFraming: (eventBytesMax: number) => Framing
}

const lines: BatchForm = { form: 'json', createFraming: createEventLines }
const frames: BatchForm = { form: 'avro', createFraming: createEventFrames }

const bySerializationType: Readonly<Record<string, BatchForm>> = {
  'application/json': lines,
  'application/x-avro-binary': frames,
}
const byContentType: Readonly<Record<string, BatchForm>> = {
  'application/x-ndjson': lines,
  'application/x-avro-batch': frames,
}

/** @throws AppError `undecodable` if the headers name no known form */
export function batchFormOf(headers: {
  serializationType: string | undefined
  contentType: string | undefined
}): BatchForm {
  const form =
    lookUp(bySerializationType, headers.serializationType) ??
    lookUp(byContentType, headers.contentType)
  if (form !== undefined) return form
  throw refusal(
    'undecodable',
    'The Content-Type must be application/x-ndjson (one Avro JSON event per line, no array) or application/x-avro-batch (each Avro event after its length in four octets)',
  )
}

function lookUp(table: Readonly<Record<string, BatchForm>>, value = ''): BatchForm | undefined {
  const [type = ''] = value.split(';', 1)
  const key = type.trim().toLowerCase()
  return Object.hasOwn(table, key) ? table[key] : undefined
}
