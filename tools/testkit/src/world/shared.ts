// The world that a whole test run shares, for tests that need only an account. A test that stops, configures or counts
// a service starts a replica of its own. A test that needs another auth or another broker starts its own world.
import type { Service, ServiceName } from '@weir/devstack'
import { startReplicas, startWorld } from './services.ts'
import type { ServiceEnv, World } from './services.ts'

const SHARED_WORLD = 'WEIR_TEST_WORLD'

type Address = Pick<Service, 'url' | 'adminUrl'>

export type SharedWorld = Record<ServiceName, Address> &
  Pick<World, 'env' | 'replica' | 'logLines' | 'stop'>

type Addresses = Record<ServiceName, Address> & { env: ServiceEnv }

/**
 * The shared world's names have no prefix, as in most installations. All tests come from one address, so a test that
 * makes wrong guesses claims another address with `x-forwarded-for`.
 */
export const startSharedWorld = (): Promise<World> =>
  startWorld({ TRUSTED_PROXIES: '127.0.0.0/8', KAFKA_PREFIX: '' })

/** Used by the runner: the tests' variables for a world. */
export function shareWorld({ auth, ingest, output, env }: World): NodeJS.ProcessEnv {
  const at = ({ url, adminUrl }: Service): Address => ({ url, adminUrl })
  const addresses: Addresses = { auth: at(auth), ingest: at(ingest), output: at(output), env }
  return { [SHARED_WORLD]: JSON.stringify(addresses) }
}

/**
 * The result stops only the replicas that it started, and has only their logs. A file that runs alone gets its own
 * world.
 */
export async function joinWorld(): Promise<SharedWorld> {
  const where = process.env[SHARED_WORLD]
  if (where === undefined) return startSharedWorld()
  const { auth, ingest, output, env } = addressesIn(where)
  const { replica, logLines, stop } = startReplicas(env)
  return { auth, ingest, output, env, replica, logLines, stop }
}

/** Written by shareWorld. */
const addressesIn = (text: string): Addresses => JSON.parse(text)
