// A request to a broker. The client library defines most requests. This package defines the others with the library's
// `createAPI`. A request is never sent in a version that the broker doesn't support.
import { protocolAPIsById } from '#client-library'
import type { API, Connection } from '#client-library'

import { KafkaError } from '../errors.ts'

export type BrokerRequest<Answer> = {
  /** The request's API key in Kafka's protocol. */
  readonly key: number
  /** The supported versions, the preferred one first. */
  readonly versions: readonly RequestVersion<Answer>[]
}

type RequestVersion<Answer> = {
  readonly version: number
  send(connection: Connection): Promise<Answer>
}

export type KnownVersions = readonly {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
}[]

export function requestOf<Args extends unknown[], Answer>(
  api: API<Args, Answer>,
  ...args: Args
): BrokerRequest<Answer> {
  const send = (connection: Connection) => api.async(connection, ...args)
  return { key: api.key, versions: [{ version: api.version, send }] }
}

/** Throws KafkaError `kafka.unsupported_broker`, with a message that names the missing version. */
export function versionFor<Answer>(
  { key, versions }: BrokerRequest<Answer>,
  known: KnownVersions,
  broker: string,
): RequestVersion<Answer> {
  const offered = known.find(({ apiKey }) => apiKey === key)
  const found = versions.find(
    ({ version }) =>
      offered !== undefined && version >= offered.minVersion && version <= offered.maxVersion,
  )
  if (found) return found
  const wanted = versions.map(({ version }) => version).join(' or ')
  throw unsupported(broker, `${protocolAPIsById[key] ?? `request ${key}`} in version ${wanted}`)
}

export const unsupported = (broker: string, what: string): KafkaError =>
  new KafkaError(
    'kafka.unsupported_broker',
    `${broker} is no broker that Weir can work with (Kafka 3.9 or later): it lacks ${what}`,
  )
