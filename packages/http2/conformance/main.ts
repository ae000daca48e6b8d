// `npm run conformance`: h2spec against our HTTP/2, with and without TLS. Fails unless all cases pass.
import { selfSigned } from './certificate.ts'
import { findH2spec, runH2spec } from './h2spec.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const h2spec = await findH2spec()
let failures = 0
for (const [where, tls] of [['in the clear'], ['over TLS', await selfSigned()]] as const) {
  const { passed, failed } = await runH2spec(h2spec, tls)
  say(`h2spec ${where}: ${passed} passed, ${failed.length} failed`)
  for (const sentence of failed) say(`  failed: ${sentence}`)
  failures += failed.length
}
process.exit(failures === 0 ? 0 : 1)
