// Ports on this machine: finds free ones, and reports a required port that is in use.

import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'

import { AppError, pollUntil } from '@weir/kit'

export const LOOPBACK = '127.0.0.1'

// Below the range that operating systems use for outgoing connections, so that no connection gets a port between the
// check and the port's use.
const FREE_FROM = 12_000
const FREE_TO = 32_000
// A port is chosen seconds before its program listens. Each jest worker searches a range of its own and gets no port
// twice, so no other test finds the same port.
const RANGES = 8
const RANGE = (FREE_TO - FREE_FROM) / RANGES
const RANGE_FROM = FREE_FROM + RANGE * (Number(process.env['JEST_WORKER_ID'] ?? 0) % RANGES)
const found = new Set<number>()
const TRIES = 200
const ENDING_WITHIN_MS = 3_000

export type Ports = { kafka: number; controller: number; analysts: number; registry: number }

const DEFAULTS: Ports = { kafka: 9092, controller: 9093, analysts: 9094, registry: 8085 }

/** `who` is the program that needs the port, and `instead` the setting that changes the port. */
export type PortNeed = { readonly port: number; readonly who: string; readonly instead: string }

export function portNeeds(
  ports: Ports,
  wanted: { broker: boolean; analysts?: boolean; registry: boolean },
): readonly PortNeed[] {
  const brokers = 'or KAFKA_BROKERS to a broker that runs already'
  const need = (port: number, who: string, setting: string, or: string): PortNeed => ({
    port,
    who,
    instead: `${setting} to another one, ${or}`,
  })
  const { kafka, controller, analysts, registry } = ports
  const registries = 'or SCHEMA_REGISTRY_URL to a registry that runs already'
  return [
    ...(wanted.broker
      ? [
          need(kafka, 'Kafka', 'KAFKA_PORT', brokers),
          need(controller, "Kafka's controller", 'KAFKA_CONTROLLER_PORT', brokers),
        ]
      : []),
    ...(wanted.broker && wanted.analysts
      ? [need(analysts, "Kafka's listener for analysts", 'KAFKA_ANALYSTS_PORT', brokers)]
      : []),
    ...(wanted.registry
      ? [need(registry, 'The schema registry', 'SCHEMA_REGISTRY_PORT', registries)]
      : []),
  ]
}

export const brokerAddress = (port: number): string => `${LOOPBACK}:${port}`

export async function allPorts(chosen: Partial<Ports> | 'free'): Promise<Ports> {
  if (chosen !== 'free') return { ...DEFAULTS, ...chosen }
  const [kafka, controller] = [await freePort(), await freePort()]
  return { kafka, controller, analysts: await freePort(), registry: await freePort() }
}

/** Throws AppError `port_in_use`, which names all ports in use. First waits, because programs may be ending. */
export async function demandFree(needs: readonly PortNeed[]): Promise<void> {
  let taken: readonly PortNeed[] = []
  const look = async (): Promise<boolean> => {
    const free = await Promise.all(needs.map(({ port }) => isFree(port)))
    taken = needs.filter((_, index) => !free[index])
    return taken.length === 0
  }
  if (await pollUntil(look, { deadlineMs: ENDING_WITHIN_MS }).catch(() => false)) return
  const lines = taken.map(
    ({ port, who, instead }) =>
      `${who} needs port ${port}, and another program listens there. Stop that program, or set ${instead}.`,
  )
  throw new AppError('port_in_use', lines.join('\n'))
}

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = RANGE_FROM + randomInt(RANGE)
    if (found.has(port) || !(await isFree(port))) continue
    found.add(port)
    return port
  }
  const range = `between ${RANGE_FROM} and ${RANGE_FROM + RANGE}`
  throw new AppError('no_free_port', `No free port found ${range}.`)
}

/** Returns true if no program listens on the port, on loopback or on all addresses. */
async function isFree(port: number): Promise<boolean> {
  return !(await answers(port)) && (await canListen(port))
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: LOOPBACK, port })
    const finish = (answer: boolean) => {
      socket.destroy()
      done(answer)
    }
    socket.once('connect', () => finish(true))
    socket.once('error', () => finish(false))
  })
}

function canListen(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen({ host: LOOPBACK, port }, () => server.close(() => done(true)))
  })
}
