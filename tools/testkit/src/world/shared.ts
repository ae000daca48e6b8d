// The world that a whole test run shares, for tests that need nothing but an account of their own. Who stops, configures or
// counts services starts a world of their own.
import type { Service, ServiceName } from '@weir/devstack'
import { rememberDecrypter } from './decrypters.ts'
import { startReplicas, startWorld } from './services.ts'
import type { ServiceEnv, World } from './services.ts'

type Address = Pick<Service, 'url' | 'adminUrl'>

export type SharedWorld = Record<ServiceName, Address> & Pick<World, 'env' | 'replica' | 'stop'>

type Addresses = Record<ServiceName, Address> & { env: ServiceEnv }

const WHERE = 'WEIR_TEST_WORLD'

/** In the runner: what the tests' environment says of a world. */
export function shareWorld({ auth, ingest, output, env }: World): NodeJS.ProcessEnv {
  const at = ({ url, adminUrl }: Service): Address => ({ url, adminUrl })
  const addresses: Addresses = { auth: at(auth), ingest: at(ingest), output: at(output), env }
  return { [WHERE]: JSON.stringify(addresses) }
}

/** What stops with it are the replicas that were asked of it. A file that runs alone has a world of its own. */
export async function joinWorld(): Promise<SharedWorld> {
  const where = process.env[WHERE]
  if (where === undefined) return startWorld()
  const { auth, ingest, output, env } = addressesIn(where)
  rememberDecrypter(auth.url, env)
  const { replica, stop } = startReplicas(env)
  return { auth, ingest, output, env, replica, stop }
}

/** Written by shareWorld. */
const addressesIn = (text: string): Addresses => JSON.parse(text)
