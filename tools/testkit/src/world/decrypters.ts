// Who derives a test's streams: the output of its own world. Many worlds live on the test run's broker, and outputs that
// derive each other's streams would only rebalance. Streams that name nobody are derived by the world that the test run
// shares, and by that of a test that runs alone.
import { randomBytes } from 'node:crypto'

export type ServiceEnv = Readonly<Record<string, string>>

/** By the address of auth. */
const names = new Map<string, string>()

/** In the environment of tests: that there is a shared world, and where. */
export const SHARED_WORLD = 'WEIR_TEST_WORLD'

/** Settings for a world on the test run's broker; on a broker of its own it derives whatever there is. */
export function derivedByUsAlone(env: ServiceEnv): ServiceEnv {
  if (env['KAFKA_BROKERS'] !== undefined) return {}
  const own = `world-${randomBytes(5).toString('hex')}`
  return { DECRYPTER_NAMES: process.env[SHARED_WORLD] === undefined ? `${own},default` : own }
}

export function rememberDecrypter(authUrl: string, { DECRYPTER_NAMES }: ServiceEnv): void {
  const [name] = DECRYPTER_NAMES?.split(',') ?? []
  if (name !== undefined) names.set(authUrl, name)
}

/** What a derived stream of that world is made with. */
export function decrypterAt(authUrl: string): { decrypterName?: string } {
  const decrypterName = names.get(authUrl)
  return decrypterName === undefined ? {} : { decrypterName }
}
