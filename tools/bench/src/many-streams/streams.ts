// Worlds with many input streams and their derived streams.
import { expectStatus, request, setting, signUp, startWorld } from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { unlimited } from '../filled-stream.ts'
import type { PartOptions } from '../part.ts'
import { measuredCore, otherCore, pin } from '../processes.ts'

export const services = ['auth', 'ingest', 'output'] as const

const atOnce = 8
const highQuotas = {
  streams: 10_000,
  outputs: 20_000,
  partitions: 100_000,
  credentials: 100_000,
  requestsPerMinute: 1_000_000,
}
export const inputSettings = { partitions: 1, limits: unlimited }

/** Runs `work` in a world with ingest and output pinned to the measured core, and auth to the other core. */
export async function inWorld<Made>(
  { profileFolder }: PartOptions,
  work: (world: World, account: Account) => Promise<Made>,
): Promise<Made> {
  const flags = `--cpu-prof --cpu-prof-dir=${profileFolder}`
  const world = await startWorld(profileFolder === undefined ? {} : { NODE_OPTIONS: flags })
  try {
    const account = await signUp(world.auth.url)
    const quotas = `/v2/platform/accounts/${account.billingId}/quotas`
    const set = await request(world.auth.url, setting('PLATFORM_KEY'), 'PUT', quotas, highQuotas)
    expectStatus(set, 200)
    await account.contract('clickstream')
    pin(process.pid, otherCore)
    for (const service of services)
      pin(world[service].pid, service === 'auth' ? otherCore : measuredCore)
    return await work(world, account)
  } finally {
    await world.stop()
  }
}

export const fleetNameOf = (number: number): string => `stream-${number}`

export const makeInputs = (account: Account, from: number, to: number): Promise<void> =>
  inParallel(from, to, (number) => account.input(fleetNameOf(number), inputSettings))

/** Creates an output with this level for each of the inputs. */
export const createFleetOutput = (account: Account, inputs: number, level: number): Promise<void> =>
  inParallel(0, inputs, (number) =>
    account.output(fleetNameOf(number), derivedNameOf(number, level), { consentLevels: [level] }),
  )

export const derivedNameOf = (number: number, level: number): string => `derived-${number}-${level}`

async function inParallel(
  from: number,
  to: number,
  make: (number: number) => Promise<unknown>,
): Promise<void> {
  let next = from
  const makeNext = async (): Promise<void> => {
    while (next < to) await make(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, makeNext))
}
