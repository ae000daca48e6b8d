// Bodies of POST /events in both framings, and their responses.
import type { Contract } from '@weir/contracts'
import type { Answer, Header } from './clients.ts'

export type Rejected = { index: number; status: number; code: string; message: string }
export type BatchAnswer = { accepted: number; rejected: Rejected[] }

export const framings = ['ndjson', 'avro-batch'] as const
export type FramingName = (typeof framings)[number]

export const contentType = (framing: FramingName): Header => [
  'content-type',
  `application/x-${framing}`,
]

export function frame(datum: Buffer, length = datum.length): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(length)
  return Buffer.concat([head, datum])
}

/** Returns the bytes of one event in a body. Converts JSON to Avro with the contract if necessary. */
export const framed = (framing: FramingName, event: string, contract: Contract): Buffer =>
  framing === 'ndjson'
    ? Buffer.from(`${event}\n`)
    : frame(contract.encode(contract.readJson(Buffer.from(event))))

export function readBatchAnswer(answer: Answer): BatchAnswer {
  if (answer.status !== 200 || answer.header('content-type') !== 'application/json')
    throw new Error(`answered ${answer.status}: ${answer.body.slice(0, 200)}`)
  return JSON.parse(answer.body)
}
