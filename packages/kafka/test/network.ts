// A network that tests can cut: every socket of the handle's clients dies, and new ones are refused, until it
// is mended. The broker itself stays up for everyone else.
import type * as net from 'node:net'

import { connectSocket, createKafkaOver } from '../src/connect/client.ts'
import type { Kafka } from '../src/connect/client.ts'
import { BROKERS, log } from './support.ts'

export type Network = { kafka: Kafka; cut(): void; mend(): void }

export function connectOverNetwork(): Network {
  const sockets = new Set<net.Socket>()
  let isCut = false
  const kafka = createKafkaOver(
    (target) => {
      const socket = connectSocket(isCut ? { ...target, port: 1 } : target)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    { brokers: BROKERS, clientId: 'weir-test', log },
  )
  return {
    kafka,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy(new Error('cut'))
    },
    mend() {
      isCut = false
    },
  }
}
