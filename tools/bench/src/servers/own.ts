// Our own HTTP/2 with as little work as the baseline: it reads a request's body and returns 204.
import { listenHttp } from '@weir/http2'
import type { HttpResponse } from '@weir/http2'

const done: HttpResponse = Object.freeze({ status: 204 })

const { port } = await listenHttp({
  host: '127.0.0.1',
  port: 0,
  handler: (request) => {
    const body = request.body(1_048_576)
    return body instanceof Promise ? body.then(() => done) : done
  },
  onError: (error) => process.stderr.write(`${String(error)}\n`),
})
process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
