// Ports on this machine: finds free ones, and reports a required port that is in use.

import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'

import { AppError } from '@weir/kit'

export const LOOPBACK = '127.0.0.1'

// Below the range that operating systems use for outgoing connections, so that none takes the port between the check
// and its use.
const FREE_FROM = 12_000
const FREE_TO = 32_000
// A port is chosen seconds before its program listens. Each jest worker searches a range of its own and gets no port
// twice, so no other test finds the same port.
const RANGES = 8
const RANGE = (FREE_TO - FREE_FROM) / RANGES
const RANGE_FROM = FREE_FROM + RANGE * (Number(process.env['JEST_WORKER_ID'] ?? 0) % RANGES)
const found = new Set<number>()
const TRIES = 200

export type Ports = { kafka: number; controller: number; analysts: number; registry: number }

const DEFAULTS: Ports = { kafka: 9092, controller: 9093, analysts: 9094, registry: 8085 }

/** The ports to use. Throws AppError `port_in_use` if a required port is in use. */
export async function choosePorts(
  chosen: Partial<Ports> | 'free',
  wanted: { broker: boolean; analysts?: boolean; registry: boolean },
): Promise<Ports> {
  const ports = await allPorts(chosen)
  if (chosen === 'free') return ports
  const brokers = 'or KAFKA_BROKERS to a broker that runs already'
  const registry = 'or SCHEMA_REGISTRY_URL to a registry that runs already'
  if (wanted.broker) {
    await demandFree(ports.kafka, 'Kafka', `KAFKA_PORT to another one, ${brokers}`)
    const controller = `KAFKA_CONTROLLER_PORT to another one, ${brokers}`
    await demandFree(ports.controller, "Kafka's controller", controller)
  }
  if (wanted.broker && wanted.analysts) {
    const analysts = `KAFKA_ANALYSTS_PORT to another one, ${brokers}`
    await demandFree(ports.analysts, "Kafka's listener for analysts", analysts)
  }
  if (wanted.registry) {
    const instead = `SCHEMA_REGISTRY_PORT to another one, ${registry}`
    await demandFree(ports.registry, 'The schema registry', instead)
  }
  return ports
}

export const brokerAddress = (port: number): string => `${LOOPBACK}:${port}`

export async function allPorts(chosen: Partial<Ports> | 'free'): Promise<Ports> {
  if (chosen !== 'free') return { ...DEFAULTS, ...chosen }
  const [kafka, controller] = [await freePort(), await freePort()]
  return { kafka, controller, analysts: await freePort(), registry: await freePort() }
}

/** Throws AppError `port_in_use`, which names the program that needs the port and the setting to change. */
export async function demandFree(port: number, who: string, instead: string): Promise<void> {
  if (await isFree(port)) return
  throw new AppError(
    'port_in_use',
    `${who} needs port ${port}, and another program listens there. Stop that program, or set ${instead}.`,
  )
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

/** Whether no program listens on the port, on loopback or on all addresses. */
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
