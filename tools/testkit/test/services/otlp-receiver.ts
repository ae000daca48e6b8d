// An OTLP receiver that parses spans with OpenTelemetry's own definitions. It needs opentelemetry-proto, which
// tools/testkit/ci/prepare.sh installs.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pollUntil } from '@weir/kit'
import { asObject } from '../../src/index.ts'

export type ReceivedSpan = {
  service: string
  name: string
  /** OTLP's numbers: 2 server, 4 producer, 5 consumer. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string
  isError: boolean
  attributes: Record<string, unknown>
}

export type Receiver = {
  url: string
  spans(traceId: string): readonly ReceivedSpan[]
  /** Resolves once a trace has exactly this many spans. */
  untilSpans(traceId: string, count: number): Promise<readonly ReceivedSpan[]>
  /** Returns all received spans as text. */
  text(): string
  /** Returns the errors of messages that are not OTLP. */
  problems(): readonly string[]
  close(): void
}

const python = join(import.meta.dirname, '../../../../.weir/venv/bin/python')

export async function startReceiver(): Promise<Receiver> {
  const child = spawn(python, [join(import.meta.dirname, 'otlp_receiver.py')])
  const lines: string[] = []
  const problems: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => problems.push(line))
  const first = async () => lines[0] ?? (problems.length > 0 ? Promise.reject(problems) : undefined)
  const { port } = asObject(JSON.parse(await pollUntil(first, { deadlineMs: 60_000 })))
  const spans = (traceId: string): ReceivedSpan[] =>
    lines
      .slice(1)
      .map(spanIn)
      .filter((span) => span.traceId === traceId)
  return {
    url: `http://127.0.0.1:${Number(port)}`,
    spans,
    async untilSpans(traceId, count) {
      const enough = () => spans(traceId).length >= count
      await pollUntil(enough, { deadlineMs: 60_000, what: `${count} spans of one trace` })
      const all = spans(traceId)
      if (all.length > count) throw new Error(`${all.length} spans instead of ${count}`)
      return all
    },
    text: () => lines.slice(1).join('\n'),
    problems: () => problems,
    close: () => void child.kill(),
  }
}

/** The cast is safe, because the program writes only spans. */
const spanIn = (line: string): ReceivedSpan => JSON.parse(line) as ReceivedSpan
