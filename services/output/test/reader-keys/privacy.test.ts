// Keys are sent only over TLS, except on the same machine, or to a trusted proxy that received the request over TLS.
import { expect, test } from '@jest/globals'
import type { Call } from '@weir/http-api'
import { AppError, createProxies } from '@weir/kit'
import { giveKeys } from '../../src/reader-keys/reader-keys.ts'
import type { ReaderKeysDeps } from '../../src/reader-keys/reader-keys.ts'

// Control state isn't fresh, so a request that passes this check gets another refusal.
const deps = {
  proxies: createProxies(['10.1.0.0/16']),
  follower: { isFresh: () => false },
} as unknown as ReaderKeysDeps

const codeFor = async (address: string, isEncrypted: boolean, proto?: string): Promise<unknown> => {
  const call = { peer: { address, isEncrypted }, header: () => proto } as unknown as Call
  try {
    await giveKeys(deps)(call)
    return 'answered'
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}

test.each([
  ['192.0.2.7', false, undefined, 'tls_required'],
  ['192.0.2.7', false, 'https', 'tls_required'],
  ['192.0.2.7', true, undefined, 'unavailable'],
  ['10.1.2.3', false, 'https', 'unavailable'],
  ['10.1.2.3', false, 'http', 'tls_required'],
  ['10.1.2.3', false, undefined, 'tls_required'],
  ['127.0.0.1', false, undefined, 'unavailable'],
  ['::ffff:127.0.0.1', false, undefined, 'unavailable'],
  ['::1', false, undefined, 'unavailable'],
  ['', false, undefined, 'tls_required'],
])('from %p, TLS %p, x-forwarded-proto %p: %s', async (address, isEncrypted, proto, code) => {
  expect(await codeFor(address, isEncrypted, proto)).toBe(code)
})
