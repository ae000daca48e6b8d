// auth's settings for the schema registry: its address, login and CA certificates.

import { certificateFile, keyRule, secretFile, text, url } from '@weir/kit'
import { z } from 'zod'

export const registryFields = {
  SCHEMA_REGISTRY_URL: url().describe(
    'the address of the Confluent API; for Apicurio it ends in /apis/ccompat/v7',
  ),
  SCHEMA_REGISTRY_USERNAME: text().optional().describe('the user name, for basic authentication'),
  SCHEMA_REGISTRY_PASSWORD_FILE: secretFile().optional().describe('a file with the password'),
  SCHEMA_REGISTRY_TOKEN_FILE: secretFile()
    .optional()
    .describe('a file with a token, for bearer authentication'),
  SCHEMA_REGISTRY_CA_FILE: certificateFile()
    .optional()
    .describe("the CA certificates; unset: Node's own list"),
}

const schema = z.object(registryFields)

export type RegistrySettings = z.infer<typeof schema>

export function withRegistryRules<T extends z.ZodType<RegistrySettings>>(fields: T): T {
  return fields
    .refine(
      (settings) =>
        (settings.SCHEMA_REGISTRY_USERNAME === undefined) ===
        (settings.SCHEMA_REGISTRY_PASSWORD_FILE === undefined),
      keyRule(
        'SCHEMA_REGISTRY_PASSWORD_FILE',
        'it and SCHEMA_REGISTRY_USERNAME go together: set both or neither',
      ),
    )
    .refine(
      (settings) =>
        settings.SCHEMA_REGISTRY_TOKEN_FILE === undefined ||
        settings.SCHEMA_REGISTRY_USERNAME === undefined,
      keyRule(
        'SCHEMA_REGISTRY_TOKEN_FILE',
        'it stands for SCHEMA_REGISTRY_USERNAME: set one of them',
      ),
    )
    .refine(
      (settings) => !isPlainHttp(settings.SCHEMA_REGISTRY_URL) || !settings.SCHEMA_REGISTRY_CA_FILE,
      keyRule(
        'SCHEMA_REGISTRY_CA_FILE',
        'it needs a SCHEMA_REGISTRY_URL that begins with https://',
      ),
    )
}

const isPlainHttp = (address: string | undefined): boolean => /^http:/i.test(address ?? '')
