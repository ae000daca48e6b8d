// Registry settings that belong together: incomplete logins and unused files are refused.
import { expect, test } from '@jest/globals'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'
import { registryFields, withRegistryRules } from '../src/registry-settings.ts'

const registry = withRegistryRules(z.object(registryFields))

test.each([
  ['SCHEMA_REGISTRY_PASSWORD_FILE', { SCHEMA_REGISTRY_USERNAME: 'weir' }],
  ['SCHEMA_REGISTRY_PASSWORD_FILE', { SCHEMA_REGISTRY_PASSWORD_FILE: '/password' }],
  [
    'SCHEMA_REGISTRY_TOKEN_FILE',
    {
      SCHEMA_REGISTRY_USERNAME: 'weir',
      SCHEMA_REGISTRY_PASSWORD_FILE: '/password',
      SCHEMA_REGISTRY_TOKEN_FILE: '/token',
    },
  ],
  ['SCHEMA_REGISTRY_CA_FILE', { SCHEMA_REGISTRY_CA_FILE: '/ca' }],
])('what is missing, or of no use, is refused by name: %s in %j', (key, env) => {
  const url = { SCHEMA_REGISTRY_URL: 'http://registry' }
  expect(() => loadConfig(registry, { ...url, ...env })).toThrow(`\n- ${key} is wrong: `)
})
