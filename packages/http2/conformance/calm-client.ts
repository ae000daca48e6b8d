// The well-behaved client, a separate process. On one connection it alternates between a small and a larger request, at
// a fixed rate that doesn't wait for responses. It reports the response times for each order to measure.
import * as http2 from 'node:http2'

const everyMs = 4
const bodies = [Buffer.alloc(500, 'x'), Buffer.alloc(20_000, 'x')]

export type Measured = { failures: number; tookMs: number[] }

const port = Number(process.argv[2])
const session = http2.connect(`http://127.0.0.1:${port}`)
let failures = 0
let tookMs: number[] = []
session.on('error', () => (failures += 1))

function ask(body: Buffer | undefined): void {
  const startedMs = performance.now()
  const stream = session.request({ ':method': 'POST', ':path': '/' })
  let isOk = false
  stream.on('response', (headers) => (isOk = headers[':status'] === 204))
  stream.on('error', () => {}) // failures are counted when the stream closes
  stream.on('close', () => {
    if (isOk) tookMs.push(performance.now() - startedMs)
    else failures += 1
  })
  stream.resume().end(body)
}

async function measure(ms: number): Promise<Measured> {
  tookMs = []
  failures = 0
  let sent = 0
  const startedMs = performance.now()
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const elapsedMs = performance.now() - startedMs
      for (; sent < elapsedMs / everyMs; sent += 1) ask(bodies[sent % bodies.length])
      if (elapsedMs < ms) return
      clearInterval(ticking)
      resolve()
    }
    const ticking = setInterval(tick, 1)
  })
  while (tookMs.length + failures < sent) await new Promise((resolve) => setTimeout(resolve, 10))
  return { failures, tookMs }
}

process.on('message', ({ ms }: { ms: number }) => {
  void measure(ms).then((measured) => process.send?.(measured))
})
process.on('disconnect', () => process.exit())
