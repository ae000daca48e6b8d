// How an export decrypts: in order, with a limited number of events per call. Values that stay encrypted are counted.
import { expect, test } from '@jest/globals'
import { Encrypted, ReadError } from '@weir/client'
import { createDecrypting } from '../../src/export/decrypting.ts'
import type { StillEncrypted, UntypedDecrypter } from '../../src/export/decrypting.ts'
import type { FormatWriter, StoredEvent } from '../../src/export/format-writer.ts'

function stored(number: number, sizeBytes = 10): StoredEvent {
  const place = { partition: 0, offset: BigInt(number), timestampMs: 0, key: null, headers: {} }
  return { record: { ...place, value: Buffer.alloc(sizeBytes) }, event: { number } }
}

const decrypterWith = (
  decrypt: (event: unknown) => unknown,
): { readonly sizes: number[]; readonly decrypter: UntypedDecrypter } => {
  const sizes: number[] = []
  const decrypter: UntypedDecrypter = {
    async decrypt(events) {
      sizes.push(events.length)
      return events.map(({ event }) => decrypt(event))
    },
  }
  return { sizes, decrypter }
}

function collecting(): { readonly events: unknown[]; readonly writer: FormatWriter } {
  const events: unknown[] = []
  return {
    events,
    writer: {
      add: async ({ event }) => void events.push(event),
      finish: async () => void events.push('finished'),
    },
  }
}

test('at most 1,000 events, or 16 MiB, are decrypted in one call, and all are written in their order', async () => {
  const { sizes, decrypter } = decrypterWith((event) => event)
  const { events, writer } = collecting()
  const decrypting = createDecrypting(decrypter, writer, new Map())
  for (let number = 0; number < 2_500; number += 1) await decrypting.add(stored(number))
  expect(events).toHaveLength(2_000)
  for (let number = 2_500; number < 2_502; number += 1)
    await decrypting.add(stored(number, 9 * 1_048_576))
  expect(events).toHaveLength(2_502)
  await decrypting.finish()
  expect(sizes.slice(0, 3)).toEqual([1_000, 1_000, 502])
  const numbers = Array.from({ length: 2_502 }, (_, number) => ({ number }))
  expect(events).toEqual([...numbers, 'finished'])
})

test('what stays encrypted is written as its text, and counted by reason; other values stay as they are', async () => {
  const bytes = Buffer.from('bytes')
  const { decrypter } = decrypterWith(() => ({
    one: new Encrypted('A1', 'erased'),
    list: ['plain', new Encrypted('A2', 'no_key'), new Encrypted('A3', 'no_key')],
    inner: { bytes, nothing: null, number: 1.5 },
  }))
  const { events, writer } = collecting()
  const still: StillEncrypted = new Map()
  const decrypting = createDecrypting(decrypter, writer, still)
  await decrypting.add(stored(1))
  await decrypting.finish()
  const inner = { bytes, nothing: null, number: 1.5 }
  expect(events[0]).toEqual({ one: 'A1', list: ['plain', 'A2', 'A3'], inner })
  expect([...still]).toEqual([
    ['erased', 1],
    ['no_key', 2],
  ])
})

test('a refusal is told in the words of output, and an output that is away with its address', async () => {
  const failing = (error: Error) =>
    createDecrypting(
      { decrypt: () => Promise.reject(error) },
      collecting().writer,
      new Map(),
    ).finish()
  const refused = new ReadError('refused', 'Keys are sent only over TLS')
  await expect(failing(refused)).rejects.toMatchObject({
    name: 'CliError',
    message: refused.message,
    advice: [],
  })
  await expect(failing(new ReadError('unreachable', 'away'))).rejects.toMatchObject({
    advice: [expect.stringContaining('WEIR_OUTPUT_URL')],
  })
})
