// The conformance suite that others wrote.
import { expect, test } from '@jest/globals'
import { selfSigned } from '../conformance/certificate.ts'
import { findH2spec, noGo, runH2spec } from '../conformance/h2spec.ts'

const h2spec = await findH2spec()
const timeoutMs = 240_000

if (h2spec === undefined) {
  test(`NOT RUN: ${noGo}`, () => {
    expect(h2spec).toBeUndefined()
  })
} else {
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
}
