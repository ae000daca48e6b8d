// A proxy between a Kafka handle and the broker, to simulate network failures. `cut` ends all connections through the
// proxy, and the proxy then refuses new ones. In responses, the proxy replaces the broker's address with its own.
import { connect as connectTo, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

import { createKafka } from '../src/connect/client.ts'
import type { Kafka } from '../src/connect/client.ts'
import { BROKERS, log } from './support.ts'

export type Network = {
  readonly kafka: Kafka
  /** For tests that create a handle of their own. */
  readonly brokers: readonly string[]
  cut(): void
  mend(): void
  /** From now on, delays requests with this API key, and all requests after them on the same connection. */
  hold(apiKey: number): Held
  /** The current number of connections through the proxy. */
  size(): number
}

/** `began` resolves when a request is waiting. */
export type Held = { readonly began: Promise<void>; release(): void }

type Hold = { readonly apiKey: number; begin(): void; readonly released: Promise<void> }

const SIZE_BYTES = 4

/** `host`: the host name in the settings. */
export async function connectOverNetwork(
  broker = BROKERS[0] ?? '',
  host = '127.0.0.1',
): Promise<Network> {
  const sockets = new Set<Socket>()
  let isCut = false
  let hold: Hold | undefined
  const port = Number(broker.split(':')[1])
  const relay = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connectTo({ host: '127.0.0.1', port })
    const readdress = replaceAddress(port, portOf(relay.address()))
    const frames = framesIn()
    let sent = Promise.resolve()
    const send = async (frame: Buffer) => {
      if (hold?.apiKey === frame.readInt16BE(SIZE_BYTES)) {
        hold.begin()
        await hold.released
      }
      upstream.write(frame)
    }
    client.on('data', (chunk) => {
      for (const frame of frames(chunk)) sent = sent.then(() => send(frame))
    })
    upstream.on('data', (chunk) => readdress(chunk).forEach((frame) => client.write(frame)))
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((listening) => relay.listen(0, '127.0.0.1', listening))
  relay.unref()
  const brokers = [`${host}:${portOf(relay.address())}`]
  return {
    kafka: createKafka({ brokers, clientId: 'weir-test', log }),
    brokers,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
    hold(apiKey) {
      const [began, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      hold = { apiKey, begin: began.resolve, released: released.promise }
      const release = () => {
        hold = undefined
        released.resolve()
      }
      return { began: began.promise, release }
    },
    size: () => Math.ceil(sockets.size / 2),
  }
}

/**
 * The returned function returns the complete responses in a chunk, with the address replaced by one of the same length.
 */
function replaceAddress(from: number, to: number): (chunk: Buffer) => Buffer[] {
  const [wanted, instead] = [addressBytes(from), addressBytes(to)]
  const frames = framesIn()
  return (chunk) =>
    frames(chunk).map((frame) => {
      for (let at = frame.indexOf(wanted); at >= 0; at = frame.indexOf(wanted, at + 1))
        instead.copy(frame, at)
      return frame
    })
}

/** The returned function returns the requests or responses that a chunk completes. */
function framesIn(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    const frames: Buffer[] = []
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= SIZE_BYTES && rest.length >= SIZE_BYTES + rest.readInt32BE(0)) {
      const frame = rest.subarray(0, SIZE_BYTES + rest.readInt32BE(0))
      frames.push(frame)
      rest = rest.subarray(frame.length)
    }
    return frames
  }
}

function addressBytes(port: number): Buffer {
  const bytes = Buffer.from('127.0.0.1\0\0\0\0')
  bytes.writeInt32BE(port, bytes.length - 4)
  return bytes
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}
