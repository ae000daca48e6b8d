// The world that a whole test run shares, for tests that need only an account. A test that stops or configures a
// service, or reads its counters, starts its own replica. A test that needs another auth or another broker starts its
// own world.
import type { Service, ServiceName } from '@weir/devstack'
import { startReplicas, startWorld } from './services.ts'
import type { ServiceEnv, World } from './services.ts'

const SHARED_WORLD = 'WEIR_TEST_WORLD'

type Address = Pick<Service, 'url' | 'adminUrl'>

export type SharedWorld = Record<ServiceName, Address> &
  Pick<World, 'env' | 'replica' | 'logLines' | 'stop'>

type Addresses = Record<ServiceName, Address> & { env: ServiceEnv }

/**
 * The Kafka names of the shared world have no prefix, as in most installations. All tests have one address, so a test
 * that sends wrong secrets claims another address with `x-forwarded-for`.
 */
export const startSharedWorld = (): Promise<World> =>
  startWorld({ TRUSTED_PROXIES: '127.0.0.0/8', KAFKA_PREFIX: '' })

/** Returns the variables by which the test runner passes a world to the tests. */
export function shareWorld({ auth, ingest, output, env }: World): NodeJS.ProcessEnv {
  const at = ({ url, adminUrl }: Service): Address => ({ url, adminUrl })
  const addresses: Addresses = { auth: at(auth), ingest: at(ingest), output: at(output), env }
  return { [SHARED_WORLD]: JSON.stringify(addresses) }
}

/**
 * Returns the shared world. Its `stop` and `logLines` cover only the replicas that this test file started. A file that
 * runs alone gets its own world.
 */
export async function joinWorld(): Promise<SharedWorld> {
  const where = process.env[SHARED_WORLD]
  if (where === undefined) return startSharedWorld()
  const { auth, ingest, output, env } = addressesIn(where)
  const { replica, logLines, stop } = startReplicas(env)
  return { auth, ingest, output, env, replica, logLines, stop }
}

/** Parses the text that `shareWorld` has written. */
const addressesIn = (text: string): Addresses => JSON.parse(text)
