// The demo of `npm start` for docker-compose.yml: creates the demo account in .weir/demo.json, and sends one event
// through every stage. In the container the services have other addresses than on the host, so the container's own
// loopback ports are forwarded to them. Arguments: the checkout, then `port=host:port` for auth, ingest and output.

import { chown, readFile, stat } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

import { runDemo } from '../demo/demo.ts'
import { LOOPBACK } from '../ports.ts'
import { REPOSITORY } from '../repository.ts'

const [checkout = '', ...passages] = process.argv.slice(2)
const folder = join(checkout, '.weir')
const [auth = 0, ingest = 0, output = 0] = await Promise.all(passages.map(passOn))

await runDemo({
  addresses: {
    authUrl: urlOf(auth),
    ingestUrl: urlOf(ingest),
    outputUrl: urlOf(output),
    kafkaBrokers: `${LOOPBACK}:9092`,
    analystBrokers: `${LOOPBACK}:9094`,
  },
  platformKey: (await readFile(join(folder, 'platform-key'), 'utf8')).trim(),
  folder,
  examplesFolder: join(REPOSITORY, 'examples'),
  print: (text) => void process.stdout.write(`${text}\n`),
})
const owner = await stat(folder)
await chown(join(folder, 'demo.json'), owner.uid, owner.gid)
process.exit()

function urlOf(port: number): string {
  return `http://${LOOPBACK}:${port}`
}

/** Forwards a loopback port, given as `port=host:port`. Resolves with the loopback port. */
function passOn(passage: string): Promise<number> {
  const [near, host, far] = passage.split(/[=:]/)
  const server = createServer((client) => {
    const service = connect(Number(far), host)
    client.pipe(service).pipe(client)
    client.on('error', () => service.destroy())
    service.on('error', () => client.destroy())
  })
  return new Promise((resolve) => {
    server.listen(Number(near), LOOPBACK, () => resolve(Number(near)))
  })
}
