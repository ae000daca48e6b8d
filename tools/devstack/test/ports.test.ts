// Which ports a stack uses, and its error if they are in use.

import { once } from 'node:events'
import { createServer } from 'node:net'

import { expect, test } from '@jest/globals'

import { choosePorts, freePort } from '../src/ports.ts'

test('a port that is taken is named, with who needs it and what to set instead', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const taken = typeof address === 'object' ? (address?.port ?? 0) : 0
  const free = {
    kafka: await freePort(),
    controller: await freePort(),
    analysts: await freePort(),
    registry: await freePort(),
  }
  const both = { broker: true, registry: true }

  await expect(choosePorts({ ...free, kafka: taken }, both)).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringMatching(`Kafka needs port ${taken}.*KAFKA_BROKERS`),
  })
  await expect(choosePorts({ ...free, registry: taken }, both)).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringMatching(`registry needs port ${taken}.*SCHEMA_REGISTRY_URL`),
  })
  await expect(
    choosePorts({ ...free, registry: taken }, { broker: true, registry: false }),
  ).resolves.toEqual({ ...free, registry: taken })
  server.close()
})
