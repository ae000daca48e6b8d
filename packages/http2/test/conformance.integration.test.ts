import { beforeAll, expect, test } from '@jest/globals'
import { selfSigned } from '../conformance/certificate.ts'
import { findH2spec, runH2spec } from '../conformance/h2spec.ts'

const timeoutMs = 240_000

let h2spec: string
beforeAll(async () => {
  h2spec = await findH2spec()
}, timeoutMs)

test(
  'all cases of h2spec pass in the clear',
  async () => {
    expect(await runH2spec(h2spec)).toEqual({ passed: 145, failed: [] })
  },
  timeoutMs,
)

test(
  'all cases of h2spec pass over TLS',
  async () => {
    expect(await runH2spec(h2spec, await selfSigned())).toEqual({ passed: 145, failed: [] })
  },
  timeoutMs,
)
