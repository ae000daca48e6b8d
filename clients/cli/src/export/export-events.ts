// An export from start to end: it opens the topic, finds the shape of the events if the format needs it in advance, and
// writes the events. It keeps one fetch in memory and, for Parquet, one row group, whatever the length of the topic.
import type { TopicRecord } from '@weir/client'
import { plainOf } from '@weir/contracts'
import type { EventSchema } from '@weir/contracts'
import { failure } from '../errors.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import type { RegistryLogin } from '../api/registry.ts'
import type { Results } from '../terminal/terminal.ts'
import { convertEvents } from './convert.ts'
import { createCsvWriter } from './csv.ts'
import type { EventWriter, EventSink } from './event-writer.ts'
import { openOutput } from './output-file.ts'
import { createParquetWriter } from './parquet.ts'
import { createSchemas, payloadOf, unreadableSchema } from './schemas.ts'
import type { Schemas } from './schemas.ts'
import { mergeShapes, shapeOf } from './shape.ts'
import type { RecordShape } from './shape.ts'
import { createTextBuffer } from './text-buffer.ts'
import { openTopic } from './topic.ts'
import type { ExportSpan, ExportTopic, TopicOptions } from './topic.ts'

export type Format = 'parquet' | 'jsonl' | 'csv'

export type ExportRequest = {
  readonly topic: TopicOptions
  readonly registry: RegistryLogin
  readonly span: ExportSpan
  /** Only events of these contracts; empty: of all. */
  readonly contracts: ReadonlySet<string>
  readonly format: Format
  readonly terminal: Results
  readonly file: string
  readonly progress: ProgressLine
  readonly signal: AbortSignal
}

/** @throws CliError; then the file is unchanged */
export async function exportEvents(request: ExportRequest): Promise<{ events: number }> {
  const interrupted = rejectWhen(request.signal, request.file)
  const opened = openTopic(request.topic, request.span, request.signal)
  const topic = await Promise.race([opened, interrupted])
  try {
    return await writeFile(request, { topic, interrupted })
  } finally {
    await topic.close()
  }
}

type Running = { readonly topic: ExportTopic; readonly interrupted: Promise<never> }

async function writeFile(request: ExportRequest, running: Running): Promise<{ events: number }> {
  const { interrupted } = running
  const schemas = createSchemas(request.registry)
  const shape =
    request.format === 'jsonl'
      ? undefined
      : await Promise.race([findShape(request, running, schemas), interrupted])
  const output = await openOutput(request.terminal, request.file)
  try {
    const writer = writerFor(request, shape, output)
    const events = await Promise.race([
      writeEvents(request, running, { schemas, writer }),
      interrupted,
    ])
    await output.complete()
    return { events }
  } finally {
    await output.discard()
  }
}

/** Reads all records once, only for the ids of their schemas. */
async function findShape(
  { contracts, progress }: ExportRequest,
  { topic }: Running,
  schemas: Schemas,
): Promise<RecordShape | undefined> {
  const ids = new Set<number>()
  await topic.read(
    (record) => {
      if (isWanted(record, contracts)) ids.add(schemas.idOf(record))
    },
    (passed) => progress.show(passed, topic.size * 2, 'looking for schemas', ''),
  )
  const shapes = await Promise.all(
    [...ids]
      .toSorted((a, b) => a - b)
      .map(async (id) => shapeOf((await schemas.schemaOf(id)).root)),
  )
  return shapes.length === 0 ? undefined : shapes.reduce(mergeShapes)
}

type Writing = { readonly schemas: Schemas; readonly writer: RecordWriter }
type RecordWriter = {
  add(record: TopicRecord, schema: EventSchema): Promise<void>
  finish(): Promise<void>
}

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
      await writer.add(record, await schemas.schemaOf(schemas.idOf(record)))
      events += 1
    },
    // Offsets are more than events: a topic has markers of transactions, and perhaps is read twice.
    (passed) => progress.show(before + passed, total, 'writing', eventsInWords(events)),
  )
  await writer.finish()
  return events
}

export const eventsInWords = (events: number): string =>
  `${events.toLocaleString('en-US')} ${events === 1 ? 'event' : 'events'}`

const isWanted = ({ headers }: TopicRecord, contracts: ReadonlySet<string>): boolean =>
  contracts.size === 0 || contracts.has(headers['svc-schema-id']?.toString('utf8') ?? '')

function writerFor(
  { format, topic: { name } }: ExportRequest,
  shape: RecordShape | undefined,
  sink: EventSink,
): RecordWriter {
  if (format === 'jsonl') return jsonLines(sink)
  if (shape !== undefined)
    return asRows(shape, (format === 'csv' ? createCsvWriter : createParquetWriter)(shape, sink))
  if (format === 'csv') return { add: async () => undefined, finish: async () => undefined }
  throw failure(`${name} contains no such events, so a Parquet file would have no columns`)
}

function asRows(shape: RecordShape, writer: EventWriter): RecordWriter {
  const rowOf = remembered((schema) => convertEvents(schema.root, shape))
  return {
    add: (record, schema) => {
      const payload = payloadOf(record)
      return writer.write(rowOf(schema)(decoded(record, schema)), payload.length)
    },
    finish: writer.finish,
  }
}

/** As `weir listen` prints them. */
function jsonLines(sink: EventSink): RecordWriter {
  const text = createTextBuffer(sink)
  const lineOf = remembered((schema) => plainOf(schema.root))
  return {
    add: (record, schema) =>
      text.write(`${JSON.stringify(lineOf(schema)(decoded(record, schema)))}\n`),
    finish: text.flush,
  }
}

function remembered<T>(make: (schema: EventSchema) => T): (schema: EventSchema) => T {
  const made = new Map<EventSchema, T>()
  return (schema) => {
    const known = made.get(schema) ?? make(schema)
    made.set(schema, known)
    return known
  }
}

function decoded(record: TopicRecord, schema: EventSchema): Record<string, unknown> {
  try {
    return schema.decode(payloadOf(record))
  } catch {
    // The decoder's message contains names of fields; the record's position is enough.
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
  // Prevents an unhandled rejection; callers that wait for it get the error.
  promise.catch(() => undefined)
  return promise
}
