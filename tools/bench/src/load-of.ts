// The load on one stream: the connections and streams, and the headers that clients such as curl and h2load send.
import type { HeaderList } from './load/header-blocks.ts'
import type { LoadPlan } from './load/load.ts'
import { writeBodies } from './measure.ts'

const connections = 8
const streams = 100

export type SentLoad = {
  port: number
  token: string
  type: string
  bodies: readonly Buffer[]
  path?: string
}

export function loadOf(sent: SentLoad): Omit<LoadPlan, 'warmUpMs' | 'measuredMs'> {
  const { port, token, type, bodies, path = '/event' } = sent
  const headers: HeaderList = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', `127.0.0.1:${port}`],
    ['accept', '*/*'],
    ['user-agent', 'weir-bench'],
    ['authorization', `Bearer ${token}`],
    ['svc-schema-id', 'clickstream'],
    ['content-type', type],
    ['content-length', String(bodies[0]?.length)],
  ]
  return { port, connections, streams, headers, bodiesFile: writeBodies(bodies) }
}
