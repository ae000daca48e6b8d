// Which ports a stack uses, and its error if they are in use.

import { once } from 'node:events'
import { createServer } from 'node:net'

import { expect, test } from '@jest/globals'

import { demandFree, freePort, portNeeds } from '../src/ports.ts'

test('all ports that are taken are named at once, with who needs them and what to set instead', async () => {
  const [kafka, registry] = [await takenPort(), await takenPort()]
  const ports = { kafka, controller: await freePort(), analysts: await freePort(), registry }
  const needs = portNeeds(ports, { broker: true, registry: true })
  await expect(demandFree(needs)).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringMatching(
      `^Kafka needs port ${kafka}.*KAFKA_BROKERS.*\nThe schema registry needs port ${registry}.*SCHEMA_REGISTRY_URL.*$`,
    ),
  })
  await demandFree(portNeeds(ports, { broker: false, registry: false }))
})

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
