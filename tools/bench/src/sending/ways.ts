// The ways of sending that part `client` compares. Over node:http2, prepared bodies have one event or many. Our driver
// itself encodes objects and forms batches.
import * as http2 from 'node:http2'
import { createProducer } from '@weir/client'
import type { Contract } from '@weir/client'
import avro from 'avsc'
import { asObject } from '@weir/testkit'
import { batchesOf } from '../events.ts'

export type Way = keyof typeof ways
export type SendPlan = {
  readonly way: Way
  readonly authUrl: string
  readonly ingestUrl: string
  readonly billingId: string
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
  readonly contract: Contract
  readonly event: Readonly<Record<string, unknown>>
  readonly warmUpMs: number
  readonly measuredMs: number
}
export type Sending = {
  /** The number of concurrent calls of `send`. */
  readonly atOnce: number
  readonly perSend: number
  /** Sends the n-th event. Returns false if it wasn't stored. */
  send(index: number): Promise<boolean>
}
type Events = readonly object[]

/** The limit of concurrent streams that ingest announces. */
const streamsAtOnce = 100
/** The driver's default. */
const batchEvents = 500
const batchesAtOnce = 4
const sendsAtOnce = 2_000

export const ways = {
  async 'raw-event'(plan: SendPlan, events: Events): Promise<Sending> {
    const post = await connect(plan, '/event', 'avro/binary')
    const bodies = encoded(plan, events)
    return {
      atOnce: streamsAtOnce,
      perSend: 1,
      send: async (index) => (await post(bodies[index % bodies.length])).status === 204,
    }
  },

  async 'raw-batch'(plan: SendPlan, events: Events): Promise<Sending> {
    const post = await connect(plan, '/events', 'application/x-avro-batch')
    const bodies = batchesOf(encoded(plan, events), batchEvents)
    const answer = `{"accepted":${batchEvents},"rejected":[]}`
    return {
      atOnce: batchesAtOnce,
      perSend: batchEvents,
      send: async (index) => (await post(bodies[index % bodies.length])).text === answer,
    }
  },

  async driver(plan: SendPlan, events: Events): Promise<Sending> {
    const { authUrl, ingestUrl, billingId, clientId, clientSecret, contract } = plan
    const credentials = { authUrl, billingId, clientId, clientSecret }
    const producer = createProducer({ ...credentials, ingestUrl, contract })
    return {
      atOnce: sendsAtOnce,
      perSend: 1,
      send: (index) =>
        producer.send(events[index % events.length] ?? {}).then(
          () => true,
          () => false,
        ),
    }
  },
}

function encoded({ contract }: SendPlan, events: Events): Buffer[] {
  const { definition } = asObject(contract.schema)
  const type = avro.Type.forSchema(JSON.parse(JSON.stringify(definition)))
  return events.map((event) => type.toBuffer(event))
}

type Post = (body: Buffer | undefined) => Promise<{ status: number; text: string }>

async function connect(plan: SendPlan, path: string, contentType: string): Promise<Post> {
  const session = http2.connect(plan.ingestUrl)
  await new Promise((resolve, reject) =>
    session.once('remoteSettings', resolve).once('error', reject),
  )
  const headers = {
    ':method': 'POST',
    ':path': path,
    authorization: `Bearer ${plan.token}`,
    'svc-schema-id': 'clickstream',
    'content-type': contentType,
  }
  return (body = Buffer.alloc(0)) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ...headers, 'content-length': body.length })
      let status = 0
      let text = ''
      stream.setEncoding('utf8')
      stream.on('response', (answer) => (status = Number(answer[':status'])))
      stream.on('data', (chunk: string) => (text += chunk))
      stream.on('error', reject)
      stream.on('close', () => resolve({ status, text }))
      stream.end(body)
    })
}
