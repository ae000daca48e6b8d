// The world that a whole test run shares, for tests that need nothing but an account of their own. Who stops, configures or
// counts a service starts a replica of that one; who needs another auth or another broker starts a world of their own.
import type { Service, ServiceName } from '@weir/devstack'
import { startReplicas, startWorld } from './services.ts'
import type { ServiceEnv, World } from './services.ts'

/** In the environment of tests: that there is a shared world, and where. */
const SHARED_WORLD = 'WEIR_TEST_WORLD'

type Address = Pick<Service, 'url' | 'adminUrl'>

export type SharedWorld = Record<ServiceName, Address> &
  Pick<World, 'env' | 'replica' | 'logLines' | 'stop'>

type Addresses = Record<ServiceName, Address> & { env: ServiceEnv }

/**
 * Its names have no prefix, as most have them. All tests come from one address: who makes wrong guesses says by
 * `x-forwarded-for` that it is another.
 */
export const startSharedWorld = (): Promise<World> =>
  startWorld({ TRUSTED_PROXIES: '127.0.0.0/8', KAFKA_PREFIX: '' })

/** In the runner: what the tests' environment says of a world. */
export function shareWorld({ auth, ingest, output, env }: World): NodeJS.ProcessEnv {
  const at = ({ url, adminUrl }: Service): Address => ({ url, adminUrl })
  const addresses: Addresses = { auth: at(auth), ingest: at(ingest), output: at(output), env }
  return { [SHARED_WORLD]: JSON.stringify(addresses) }
}

/** What logs and stops with it are the replicas that were asked of it. A file that runs alone has a world of its own. */
export async function joinWorld(): Promise<SharedWorld> {
  const where = process.env[SHARED_WORLD]
  if (where === undefined) return startSharedWorld()
  const { auth, ingest, output, env } = addressesIn(where)
  const { replica, logLines, stop } = startReplicas(env)
  return { auth, ingest, output, env, replica, logLines, stop }
}

/** Written by shareWorld. */
const addressesIn = (text: string): Addresses => JSON.parse(text)
