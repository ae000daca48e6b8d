// Reads login and CA certificates for the schema registry from the settings. Files are read again for each request, so
// they may be replaced at any time.
import { fileReader, secretReader } from '@weir/kit'
import type { RegistrySettings } from './registry-settings.ts'

export type RegistryAccess = {
  /** Returns the value of the header Authorization. Called for each request. */
  readonly authorization?: (() => string) | undefined
  /** Certificates to trust instead of Node's own list. */
  readonly ca?: (() => Buffer | undefined) | undefined
}

/** Throws AppError `kit.setting_file_unreadable` if the first read of a file fails. */
export function registryAccess(settings: RegistrySettings): RegistryAccess {
  const { SCHEMA_REGISTRY_CA_FILE: caFile } = settings
  return {
    authorization: authorizationOf(settings),
    ca: caFile === undefined ? undefined : fileReader('SCHEMA_REGISTRY_CA_FILE', caFile),
  }
}

function authorizationOf(settings: RegistrySettings): (() => string) | undefined {
  const { SCHEMA_REGISTRY_USERNAME: name, SCHEMA_REGISTRY_TOKEN_FILE: tokenFile } = settings
  if (name !== undefined) {
    const key = 'SCHEMA_REGISTRY_PASSWORD_FILE'
    const password = secretReader(key, settings[key])
    return () => basic(name, password())
  }
  if (tokenFile === undefined) return undefined
  const token = secretReader('SCHEMA_REGISTRY_TOKEN_FILE', tokenFile)
  return () => `Bearer ${token()}`
}

export const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
