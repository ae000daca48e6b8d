// Where Avro readers get schemas: auth's /registry, for Confluent's clients, with a stream's own credentials.
import { urlOf } from './request.ts'
import type { StreamCredentials } from '../accounts/profile.ts'

export type RegistryLogin = { readonly url: string; readonly credentials: StreamCredentials }

export const registryUrlOf = ({ authUrl }: { readonly authUrl: string }): string =>
  urlOf(authUrl, ['registry']).href

/** By the names that Confluent's clients use. */
export const registrySettings = ({
  url,
  credentials: { clientId, clientSecret },
}: RegistryLogin): Readonly<Record<string, string>> => ({
  'schema.registry.url': url,
  'basic.auth.credentials.source': 'USER_INFO',
  'basic.auth.user.info': `${clientId}:${clientSecret}`,
})
