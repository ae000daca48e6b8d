// The address and the login with which Avro readers, such as Confluent's clients, get schemas: auth's /registry, and a
// stream's credentials.
import { urlOf } from './request.ts'
import type { StreamCredentials } from '../accounts/profile.ts'

export type RegistryLogin = { readonly url: string; readonly credentials: StreamCredentials }

export const registryUrlOf = ({ authUrl }: { readonly authUrl: string }): string =>
  urlOf(authUrl, ['registry']).href

/** Returns the settings by the names that Confluent's clients use. */
export const registrySettings = ({
  url,
  credentials: { clientId, clientSecret },
}: RegistryLogin): Readonly<Record<string, string>> => ({
  'schema.registry.url': url,
  'basic.auth.credentials.source': 'USER_INFO',
  'basic.auth.user.info': `${clientId}:${clientSecret}`,
})
