// The server that the tests attack, in a separate process, so that its memory and time can be measured.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { listenHttp } from '../../src/index.ts'
import type { Handler, HttpResponse, ListenOptions } from '../../src/index.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const large: HttpResponse = Object.freeze({ status: 200, body: Buffer.alloc(1_048_576, 'x') })
const done: HttpResponse = Object.freeze({ status: 204 })
const held: ((response: HttpResponse) => void)[] = []
const errors: string[] = []

/** Collects garbage first, because the memory of unreferenced buffers is only released then. */
async function memory(): Promise<HttpResponse> {
  collect()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return {
    status: 200,
    body: JSON.stringify({ bytes: heapUsed + external, errors, held: held.length }),
  }
}

const handler: Handler = async (request) => {
  switch (request.path) {
    case '/memory':
      return memory()
    case '/large':
      return large
    case '/let-go':
      for (const answer of held.splice(0)) answer(done)
      return done
    case '/hold-unread':
      return new Promise((resolve) => held.push(resolve))
    case '/hold-pieces': {
      let pieces = 0
      for await (const _ of request.chunks())
        if (++pieces === 1) await new Promise((resolve) => held.push(resolve))
      return done
    }
    case '/hold':
      await request.body(1_048_576)
      return new Promise((resolve) => held.push(resolve))
    default:
      return (await request.body(1_048_576)) === undefined ? { status: 413 } : done
  }
}

const options = JSON.parse(process.argv[2] ?? '{}') as Partial<ListenOptions>
const onError = (error: unknown): void => void errors.push(String(error))
const { port } = await listenHttp({ host: '127.0.0.1', port: 0, handler, onError, ...options })
process.stdout.write(`${port}\n`)
process.on('disconnect', () => process.exit())
