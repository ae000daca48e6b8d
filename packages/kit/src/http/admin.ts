// The admin port: metrics and health, for the platform only. «Live»: the process responds. «Ready»: the process may get
// requests; if it is not ready, the response lists all reasons.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

import { Gauge, type Registry } from 'prom-client'

export type AdminPortOptions = {
  host?: string | undefined
  port: number
  registry: Registry
  /** Returns why the service isn't ready; empty if it is. */
  readiness(): readonly string[]
  /** Returns problems that don't affect readiness. */
  warnings?(): readonly string[]
}

export type AdminPort = { port: number; close(): Promise<void> }

/** The platform's probes and scrapes need only a few concurrent connections. */
const connectionsMax = 64

/** Short, because requests here are small. By default, Node checks for slow requests only every half a minute. */
const timeouts = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}

export async function startAdmin(options: AdminPortOptions): Promise<AdminPort> {
  const server = createServer(timeouts, (req, res) => {
    void answer(options, req, res)
  })
  boundConnections(server)
  countReadiness(options)
  const port = await listen(server, options)
  return { port, close: () => close(server) }
}

/** Closes the oldest connection if there are too many, so that no client can block the platform's probes. */
function boundConnections(server: Server): void {
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    const [oldest] = open
    if (open.size >= connectionsMax) oldest?.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

/** Exports /health/ready as a metric, so that its history is visible. */
function countReadiness({ registry, readiness }: AdminPortOptions): void {
  if (registry.getSingleMetric('weir_ready') !== undefined) return
  new Gauge({
    name: 'weir_ready',
    help: '1 if the service is ready for requests, else 0.',
    registers: [registry],
    collect() {
      this.set(readiness().length === 0 ? 1 : 0)
    },
  })
}

async function answer(options: AdminPortOptions, req: IncomingMessage, res: ServerResponse) {
  const respond = (status: number, type: string, body: string) => {
    res.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
    res.end(req.method === 'HEAD' ? undefined : body)
  }
  try {
    if (req.method !== 'GET' && req.method !== 'HEAD') return respond(405, 'text/plain', '')
    switch (req.url?.split('?', 1)[0]) {
      case '/metrics':
        return respond(200, options.registry.contentType, await options.registry.metrics())
      case '/health/live':
        return respond(200, 'text/plain', 'live\n')
      case '/health/ready': {
        const reasons = options.readiness()
        const warnings = (options.warnings?.() ?? []).map((warning) => `warning: ${warning}`)
        const status = reasons.length === 0 ? 200 : 503
        return respond(status, 'application/json', json([...reasons, ...warnings]))
      }
      default:
        return respond(404, 'text/plain', '')
    }
  } catch {
    return respond(503, 'application/json', json(['the check itself failed']))
  }
}

function json(reasons: readonly string[]): string {
  return `${JSON.stringify(reasons)}\n`
}

function listen(server: Server, { host, port }: AdminPortOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host }, () => {
      server.removeListener('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
