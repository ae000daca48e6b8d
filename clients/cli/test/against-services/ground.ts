// The tests with running services share the services, and an account that the command has created, with the example
// contracts. Each test has its own streams.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  account,
  exampleContract,
  exampleEvent,
  freshName,
  setting,
  startWorld,
} from '@weir/testkit'
import type { ExampleContract, World } from '@weir/testkit'
import { createWeir } from '../support/weir.ts'
import type { Weir } from '../support/weir.ts'

export type Ground = {
  readonly world: World
  readonly weir: Weir
  readonly billingId: string
  readonly apiKey: string
  /** The addresses of the services, as options of `account create` and `account login`. */
  readonly addresses: string
}

/** A function, because tests are defined before the services start. */
export type LookUpGround = () => Ground

export async function prepareGround(): Promise<Ground> {
  const world = await startWorld()
  try {
    const weir = createWeir({ isHere: true })
    const { auth, ingest, output } = world
    const addresses = `--auth-url ${auth.url} --ingest-url ${ingest.url} --output-url ${output.url}`
    const billingId = freshName('cli')
    const made = await weir.ok(`account create ${billingId} --save ${addresses}`, platformKey())
    const apiKey = memberOf(made, 'apiKey')
    await account(auth.url, billingId, apiKey).contracts()
    return { world, weir, billingId, apiKey, addresses }
  } catch (error) {
    await world.stop()
    throw error
  }
}

export const platformKey = (): { readonly input: string } => ({
  input: `${setting('PLATFORM_KEY')}\n`,
})

export function memberOf(details: string, name: string): string {
  const line = details.split('\n').find((text) => text.startsWith(`${name} `))
  if (line === undefined) throw new Error(`there is no ${name} in ${details}`)
  return line.slice(name.length).trim()
}

export async function contractFile(
  { weir, billingId }: Pick<Ground, 'weir' | 'billingId'>,
  name: ExampleContract,
  id?: string,
): Promise<string> {
  const contract = await exampleContract(name)
  const subject = billingId.replaceAll('-', '_')
  const text = JSON.stringify(id === undefined ? contract : { ...contract, id })
  return fileOf(weir, `contract-${name}.json`, text.replace('"catalog-', `"${subject}-`))
}

/** Returns an example event as one line of JSON, changed as text. */
export async function eventLine(
  name: ExampleContract,
  change: (text: string) => string = (text) => text,
): Promise<string> {
  return change(JSON.stringify(await exampleEvent(name)))
}

export function fileOf({ folder }: Weir, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

export const profileOf = ({ profile }: Weir): unknown => JSON.parse(readFileSync(profile, 'utf8'))

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

export const eventsOf = (stdout: string): unknown[] =>
  linesOf(stdout).map((line): unknown => JSON.parse(line))
