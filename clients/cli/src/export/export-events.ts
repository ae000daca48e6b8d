// Runs an export: opens the topic, finds the columns of the events if the format needs them in advance, and writes the
// events. Memory does not depend on the topic's length.
import { createDecrypter } from '@weir/client'
import type { TopicRecord } from '@weir/client'
import { claimsOf } from '../api/id-token.ts'
import { failure } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import type { RegistryLogin } from '../api/registry.ts'
import type { Results } from '../terminal/terminal.ts'
import type { EventSchema } from './avro.ts'
import { createDecrypting } from './decrypting.ts'
import type { StillEncrypted } from './decrypting.ts'
import type { EventSink } from './event-writer.ts'
import { createJsonLines, createRows } from './format-writer.ts'
import type { Format, FormatWriter } from './format-writer.ts'
import { openOutput } from './output-file.ts'
import { createSchemas, payloadOf, unreadableSchema } from './schemas.ts'
import type { Schemas } from './schemas.ts'
import { mergeShapes, shapeOf } from './shape.ts'
import type { RecordShape } from './shape.ts'
import { openTopic } from './topic.ts'
import type { ExportSpan, ExportTopic, TopicOptions } from './topic.ts'

export type ExportRequest = {
  readonly topic: TopicOptions
  readonly registry: RegistryLogin
  readonly span: ExportSpan
  /** Only events of these contracts are exported. If empty, events of all contracts. */
  readonly contracts: ReadonlySet<string>
  readonly format: Format
  /** Advice if there are no events, and the format needs some. */
  readonly whyEmpty: readonly string[]
  /** Set if events are to be decrypted. Only used for an output with `decryptAt: reader`. */
  readonly decryptWith: Parameters<typeof createDecrypter>[0] | undefined
  readonly terminal: Results
  readonly file: string
  readonly progress: ProgressLine
  readonly signal: AbortSignal
}

export type Exported = { readonly events: number; readonly still: ReadonlyMap<string, number> }

/** @throws CliError; then the file is unchanged */
export async function exportEvents(request: ExportRequest): Promise<Exported> {
  const interrupted = rejectWhen(request.signal, request.file)
  const token = await Promise.race([request.topic.token(), interrupted])
  const { isOutput, isForReaders } = claimsOf(token)
  if (request.decryptWith !== undefined && !isOutput) throw isInput(request.topic.name)
  const opened = openTopic(request.topic, request.span, request.signal)
  const topic = await Promise.race([opened, interrupted])
  try {
    return await writeFile(request, { topic, interrupted, isForReaders })
  } finally {
    await topic.close()
  }
}

const isInput = (name: string) =>
  failure(
    `${name} is an input stream: nobody can decrypt its events`,
    'Export one of its outputs, or leave out --decrypt.',
  )

type Running = {
  readonly topic: ExportTopic
  readonly interrupted: Promise<never>
  readonly isForReaders: boolean
}

async function writeFile(request: ExportRequest, running: Running): Promise<Exported> {
  const { interrupted } = running
  const schemas = createSchemas(request.registry)
  const shape =
    request.format === 'jsonl'
      ? undefined
      : await Promise.race([findShape(request, running, schemas), interrupted])
  const output = await openOutput(request.terminal, request.file)
  const still: StillEncrypted = new Map()
  try {
    const { isForReaders } = running
    const { decryptWith } = request
    const plain = writerFor(request, { shape, hasKeyLink: isForReaders }, output)
    const writer =
      isForReaders && decryptWith !== undefined
        ? createDecrypting(createDecrypter(decryptWith), plain, still)
        : plain
    const events = await Promise.race([
      writeEvents(request, running, { schemas, writer }),
      interrupted,
    ])
    await output.complete()
    return { events, still }
  } finally {
    await output.discard()
  }
}

/** Reads all records once, only to get the ids of their schemas. */
async function findShape(
  request: ExportRequest,
  { topic }: Running,
  schemas: Schemas,
): Promise<RecordShape | undefined> {
  const { contracts, progress, format } = request
  const ids = new Set<number>()
  await topic.read(
    (record) => {
      if (isWanted(record, contracts)) ids.add(schemas.idOf(record))
    },
    (passed) => progress.show(passed, topic.size * 2, 'looking for schemas', ''),
  )
  if (ids.size === 0 && format === 'csv')
    for (const id of await firstId(request, schemas)) ids.add(id)
  const shapes = await Promise.all(
    [...ids]
      .toSorted((a, b) => a - b)
      .map(async (id) => shapeOf((await schemas.schemaOf(id)).root)),
  )
  return shapes.length === 0 ? undefined : shapes.reduce(mergeShapes)
}

/** Returns the schema id of a wanted event at any time, so that a CSV file without events still has columns. */
async function firstId(
  { topic, contracts, signal }: ExportRequest,
  schemas: Schemas,
): Promise<readonly number[]> {
  const whole = await openTopic(topic, { fromMs: undefined, untilMs: undefined }, signal)
  const ids: number[] = []
  const found = new Error('found')
  try {
    await whole.read(
      (record) => {
        if (!isWanted(record, contracts)) return
        ids.push(schemas.idOf(record))
        throw found
      },
      () => undefined,
    )
  } catch (error) {
    if (error !== found) throw error
  } finally {
    await whole.close()
  }
  return ids
}

type Writing = { readonly schemas: Schemas; readonly writer: FormatWriter }

async function writeEvents(
  { contracts, progress, format, signal }: ExportRequest,
  { topic }: Running,
  { schemas, writer }: Writing,
): Promise<number> {
  const [before, total] = format === 'jsonl' ? [0, topic.size] : [topic.size, topic.size * 2]
  let events = 0
  await topic.read(
    async (record) => {
      if (signal.aborted || !isWanted(record, contracts)) return
      const schema = await schemas.schemaOf(schemas.idOf(record))
      await writer.add({ record, event: decoded(record, schema) })
      events += 1
    },
    // There are more offsets than events, because a topic also has transaction markers, and may be read twice.
    (passed) => progress.show(before + passed, total, 'writing', eventsInWords(events)),
  )
  await writer.finish()
  return events
}

export const eventsInWords = (events: number): string =>
  `${events.toLocaleString('en-US')} ${events === 1 ? 'event' : 'events'}`

const isWanted = ({ headers }: TopicRecord, contracts: ReadonlySet<string>): boolean =>
  contracts.size === 0 || contracts.has(headers['svc-schema-id']?.toString('utf8') ?? '')

type Columns = { readonly shape: RecordShape | undefined; readonly hasKeyLink: boolean }

function writerFor(
  { format, whyEmpty, topic: { name } }: ExportRequest,
  { shape, hasKeyLink }: Columns,
  sink: EventSink,
): FormatWriter {
  if (format === 'jsonl') return createJsonLines(hasKeyLink, sink)
  if (shape !== undefined) return createRows(format, { shape, hasKeyLink }, sink)
  if (format === 'csv') return { add: async () => undefined, finish: async () => undefined }
  throw failure(
    `${name} contains no events to export, so a Parquet file would have no columns`,
    ...whyEmpty,
  )
}

function decoded(record: TopicRecord, schema: EventSchema): JsonObject {
  try {
    return schema.decode(payloadOf(record))
  } catch {
    // Does not show the decoder's message, because it contains names of fields. The record's position is enough.
    throw unreadableSchema(record)
  }
}

function rejectWhen(signal: AbortSignal, file: string): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () =>
    reject(
      failure(
        file === '-'
          ? 'ended before everything was written'
          : `ended before ${file} was complete; the file is unchanged`,
      ),
    ),
  )
  // Prevents an unhandled rejection. Callers that wait for the promise get the error.
  promise.catch(() => undefined)
  return promise
}
