// Who derives a test's streams: the output of its own world. Many worlds live on the test run's broker, and outputs that
// derive each other's streams would only rebalance.
import { randomBytes } from 'node:crypto'

export type ServiceEnv = Readonly<Record<string, string>>

/** By the address of auth. */
const names = new Map<string, string>()

/** Settings for a world on the test run's broker; on a broker of its own it derives whatever there is. */
export const derivedByUsAlone = (env: ServiceEnv): ServiceEnv =>
  env['KAFKA_BROKERS'] === undefined
    ? { DECRYPTER_NAMES: `world-${randomBytes(5).toString('hex')},default` }
    : {}

export function rememberDecrypter(authUrl: string, { DECRYPTER_NAMES }: ServiceEnv): void {
  const [name] = DECRYPTER_NAMES?.split(',') ?? []
  if (name !== undefined) names.set(authUrl, name)
}

/** What a derived stream of that world is made with. */
export function decrypterAt(authUrl: string): { decrypterName?: string } {
  const decrypterName = names.get(authUrl)
  return decrypterName === undefined ? {} : { decrypterName }
}
