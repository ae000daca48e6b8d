// Connections use the current content of the certificate files, or the last usable content while a file can't be used.
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { makeAuthority } from '@weir/devstack'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'

import { kafkaAccess } from '../../src/connect/access/kafka-access.ts'
import { kafkaFields, withKafkaRules } from '../../src/connect/access/kafka-settings.ts'

// Starting programs takes long on a busy machine.
jest.setTimeout(60_000)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-kafka-access-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a certificate that was replaced is shown from the next connection on, unless it is of no use', async () => {
  // Given
  const authority = await makeAuthority(folder, 'test')
  const [first, second] = [
    await authority.issue('first', ['DNS:client']),
    await authority.issue('second', ['DNS:client']),
  ]
  const at = { cert: join(folder, 'cert'), key: join(folder, 'key') }
  const put = async ({ cert, key }: typeof at) => {
    await copyFile(cert, at.cert)
    await copyFile(key, at.key)
  }
  await put(first)
  const settings = loadConfig(withKafkaRules(z.object(kafkaFields)), {
    KAFKA_BROKERS: 'kafka:9093',
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: authority.ca,
    KAFKA_TLS_CERT_FILE: at.cert,
    KAFKA_TLS_KEY_FILE: at.key,
  })
  const { tls } = kafkaAccess(settings)
  const shown = () => tls?.().secureContext
  const atFirst = shown()
  expect(atFirst).toBeDefined()
  expect(shown()).toBe(atFirst)

  // When, then
  await copyFile(second.cert, at.cert)
  expect(shown()).toBe(atFirst)
  await writeFile(at.cert, 'no certificate')
  expect(shown()).toBe(atFirst)
  await rm(at.cert)
  expect(shown()).toBe(atFirst)
  await put(second)
  expect(shown()).not.toBe(atFirst)
})
