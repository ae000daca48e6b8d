// Reads the demo's file. `npm start` writes the addresses, the API key and the streams' credentials of its demo account
// into `.weir/demo.json`, so that `weir` needs no login there.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { failure } from '../errors.ts'
import { listAt, parseJson, textAt } from '../json.ts'
import { defaultAddresses, parseCredentials } from './profile.ts'
import type { ServiceAddresses, StreamCredentials } from './profile.ts'

export type Demo = ServiceAddresses & {
  readonly path: string
  readonly billingId: string
  readonly apiKey: string | undefined
  readonly analystBrokers: string | undefined
  readonly kafkaPrefix: string | undefined
  readonly streams: ReadonlyMap<string, StreamCredentials>
}

/** Reads the nearest `.weir/demo.json` in this folder or above. Returns undefined if there is none. */
export function findDemo(folder: string): Demo | undefined {
  const path = join(folder, '.weir', 'demo.json')
  if (existsSync(path)) return readDemo(path)
  return folder === dirname(folder) ? undefined : findDemo(dirname(folder))
}

function readDemo(path: string): Demo {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw failure(
      `the demo's file ${path} can't be read`,
      'Run weir as the user who runs the demo.',
    )
  }
  const json = parseJson(text, `the demo's file ${path}`, '`npm start` writes it again.')
  const billingId = textAt(json, 'billingId')
  if (!billingId) throw failure(`${path} has no billingId`, '`npm start` writes the file again.')
  return {
    path,
    billingId,
    authUrl: textAt(json, 'authUrl') ?? defaultAddresses.authUrl,
    ingestUrl: textAt(json, 'ingestUrl') ?? defaultAddresses.ingestUrl,
    outputUrl: textAt(json, 'outputUrl') ?? defaultAddresses.outputUrl,
    apiKey: textAt(json, 'apiKey'),
    analystBrokers: textAt(json, 'analystBrokers'),
    kafkaPrefix: textAt(json, 'kafkaPrefix'),
    streams: new Map(
      listAt(json, 'streams').flatMap((stream) => {
        const name = textAt(stream, 'name')
        const credentials = parseCredentials(stream)
        return name && credentials ? [[name, credentials] as const] : []
      }),
    ),
  }
}

const isHere = (hostname: string | undefined): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(hostname ?? '')

/** A demo file may be another person's. The user's own keys are sent only if all its addresses are on this machine. */
export const isOnThisMachine = (addresses: ServiceAddresses): boolean =>
  [addresses.authUrl, addresses.ingestUrl, addresses.outputUrl].every((address) =>
    isHere(URL.parse(address)?.hostname),
  )

/** `brokers` is `host:port, …`. */
export const areOnThisMachine = (brokers: string): boolean =>
  brokers.split(',').every((broker) => isHere(broker.trim().replace(/:\d+$/, '')))
