// A server as a good team would write it with the usual libraries: node:http2, avsc, node:crypto and kafkajs with
// batches of 2 ms. It reads the clickstream event, checks its two patterns, encrypts two fields under a key per
// session, and returns 204 after acks=all. It has no contracts, no limits and no metrics.
import { createCipheriv, createHmac, createSecretKey, randomBytes, randomInt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as http2 from 'node:http2'
import avro from 'avsc'
import { Kafka, logLevel } from 'kafkajs'
import type { Message } from 'kafkajs'

const [brokers = '', topic = '', schemaFile = '', token = ''] = process.argv.slice(2)
const type = avro.Type.forSchema(JSON.parse(readFileSync(schemaFile, 'utf8')))
const patterns: [(event: ClickEvent) => string, RegExp][] = [
  [(event) => event.customer.id, /^.+$/],
  [
    (event) => event.url,
    /^(https?|ftp|file):\/\/[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]/,
  ],
]
type ClickEvent = {
  svcMeta: {
    schemaId: string
    nonce: number
    timestamp: number
    billingId: unknown
    keyLink: unknown
  }
  producerSessionId: string
  url: string
  customer: { id: string }
}

const producer = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).producer()
await producer.connect()

const master = createSecretKey(randomBytes(32))
const sessionKeys = new Map<string, KeyObject>()
function keyOf(session: string): KeyObject {
  let key = sessionKeys.get(session)
  if (key === undefined) {
    key = createSecretKey(createHmac('sha256', master).update(session).digest())
    sessionKeys.set(session, key)
  }
  return key
}
function seal(key: KeyObject, value: string): string {
  const nonce = createHmac('sha256', key).update(value).digest().subarray(0, 12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([
    nonce,
    cipher.update(value, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]).toString('base64')
}

let waiting: { message: Message; answer: (status: number) => void }[] = []
function flush(): void {
  const batch = waiting
  waiting = []
  producer.send({ topic, acks: -1, messages: batch.map(({ message }) => message) }).then(
    () => batch.forEach(({ answer }) => answer(204)),
    () => batch.forEach(({ answer }) => answer(503)),
  )
}

function take(body: Buffer, answer: (status: number) => void): void {
  const event: ClickEvent = type.fromString(body.toString('utf8'))
  if (patterns.some(([read, pattern]) => !pattern.test(read(event)))) return answer(400)
  const session = event.producerSessionId
  const key = keyOf(session)
  event.producerSessionId = seal(key, session)
  event.customer.id = seal(key, event.customer.id)
  const timestamp = Date.now()
  Object.assign(event.svcMeta, { schemaId: 'clickstream', nonce: randomInt(2 ** 31), timestamp })
  if (waiting.length === 0) setTimeout(flush, 2)
  waiting.push({
    message: { key: session, value: type.toBuffer(event), timestamp: String(timestamp) },
    answer,
  })
}

const server = http2.createServer({ settings: { maxConcurrentStreams: 100 } })
server.on('stream', (stream, headers) => {
  const chunks: Buffer[] = []
  const answer = (status: number): void => {
    if (!stream.destroyed) stream.respond({ ':status': status }, { endStream: true })
  }
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    if (headers.authorization !== `Bearer ${token}`) return answer(401)
    try {
      return take(Buffer.concat(chunks), answer)
    } catch {
      return answer(400) // the load ended within a body
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
