// The well-behaved account, a separate process. It sends the same request fifty times per second, without waiting for
// responses. It reports the response times after each order (`CalmOrder`).
import * as http2 from 'node:http2'

const everyMs = 20

export type CalmOrder = {
  readonly url: string
  readonly request: http2.OutgoingHttpHeaders
  readonly body: string
  /** The expected status. */
  readonly status: number
  readonly ms: number
}
export type Measured = { failures: number; tookMs: number[] }

async function measure({ url, request, body, status, ms }: CalmOrder): Promise<Measured> {
  const measured: Measured = { failures: 0, tookMs: [] }
  const session = http2.connect(url)
  session.on('error', () => {}) // each request gets the error
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const startedMs = performance.now()
      const stream = session.request(request)
      let isOk = false
      stream.on('response', (headers) => (isOk = headers[':status'] === status))
      stream.on('error', () => {}) // counted on close
      stream.on('close', () => {
        if (isOk) measured.tookMs.push(performance.now() - startedMs)
        else measured.failures += 1
        resolve()
      })
      stream.resume().end(body)
    })
  await ask() // opens the connection
  measured.tookMs = []
  const asked: Promise<void>[] = []
  const startedMs = performance.now()
  while (performance.now() - startedMs < ms) {
    if (asked.length * everyMs <= performance.now() - startedMs) asked.push(ask())
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(asked)
  session.close()
  return measured
}

process.on('message', (order: CalmOrder) => {
  void measure(order).then((measured) => process.send?.(measured))
})
process.on('disconnect', () => process.exit())
