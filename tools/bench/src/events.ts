// The measured event: the spec's clickstream event, 471 bytes as Avro JSON, for 1,000 sessions in turn.
import { compiledExample, exampleEvent } from '@weir/testkit'

const sessionPattern = /\d{4}$/

/** Returns bodies with this many events each. Before each event stands its length. */
export function batchesOf(events: readonly Buffer[], eventsPerBody: number): Buffer[] {
  const framed = events.map((event) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(event.length)
    return Buffer.concat([length, event])
  })
  const bodies = Math.max(1, Math.floor(events.length / eventsPerBody))
  return Array.from({ length: bodies }, (_, i) =>
    Buffer.concat(framed.slice(i * eventsPerBody, (i + 1) * eventsPerBody)),
  )
}

/** Returns the position of the last seven characters of the session's name in a JSON body. */
export function sessionDigits(body: Buffer | undefined): { at: number; digits: number } {
  const [match] = body?.toString('latin1').matchAll(/"producerSessionId":"[^"]*(?=")/g) ?? []
  if (match === undefined) throw new Error('the event names no session')
  return { at: match.index + match[0].length - 7, digits: 7 }
}

export type Bodies = { json: Buffer[]; avro: Buffer[] }

export async function clickstreamBodies(sessions = 1_000): Promise<Bodies> {
  const contract = await compiledExample('clickstream')
  const event = await exampleEvent('clickstream')
  const session = String(event['producerSessionId'])
  const json = Array.from({ length: sessions }, (_, i) => {
    const own = sessionPattern.test(session)
      ? session.replace(sessionPattern, String(i).padStart(4, '0'))
      : session.slice(0, -7) + String(i).padStart(7, '0')
    return Buffer.from(JSON.stringify({ ...event, producerSessionId: own }))
  })
  return { json, avro: json.map((body) => contract.encode(contract.readJson(body))) }
}
