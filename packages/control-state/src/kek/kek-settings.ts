// The settings for the sources of KEKs: a file, a variable, HashiCorp Vault, or several of them while keys move from
// one to another (docs/keys.md, Where KEKs come from).
import { parseKekFile } from '@weir/fieldcrypt'
import {
  certificateFile,
  file,
  hasCode,
  keyRule,
  secretFile,
  secretLines,
  text,
  url,
} from '@weir/kit'
import { z } from 'zod'

const KUBERNETES_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token'

export const kekFields = {
  KEK_FILE: file(kekProblem)
    .optional()
    .describe(
      'the file with the KEKs, one line `name version key` per KEK. Set this, KEK or VAULT_ADDR',
    ),
  KEK: secretLines(kekProblem).optional().describe('the lines of KEK_FILE; a file is safer'),
  VAULT_ADDR: url()
    .optional()
    .describe(
      'the address of HashiCorp Vault, whose Transit engine wraps keys (KEK_WRAPS: `vault:<name>`)',
    ),
  VAULT_TRANSIT_MOUNT: text().default('transit').describe('where Transit is mounted in Vault'),
  VAULT_TOKEN_FILE: secretFile()
    .optional()
    .describe('a file with a Vault token. Set this or VAULT_KUBERNETES_ROLE'),
  VAULT_KUBERNETES_ROLE: text()
    .optional()
    .describe("the role for a login with the pod's service account"),
  VAULT_KUBERNETES_MOUNT: text()
    .default('kubernetes')
    .describe('the mount of the Kubernetes login'),
  VAULT_KUBERNETES_TOKEN_FILE: secretFile()
    .default(KUBERNETES_TOKEN)
    .describe("the file with the service account's token"),
  VAULT_CA_FILE: certificateFile()
    .optional()
    .describe("the CA certificates; unset: Node's own list"),
}

const schema = z.object(kekFields)

export type KekSettings = z.infer<typeof schema>

type Rule = {
  readonly key: keyof KekSettings
  readonly message: string
  holds(settings: Partial<KekSettings>): boolean
}

const needsVault = (key: keyof KekSettings): Rule => ({
  key,
  message: 'it needs VAULT_ADDR',
  holds: (settings) => settings[key] === undefined || settings.VAULT_ADDR !== undefined,
})

const rules: readonly Rule[] = [
  {
    key: 'KEK_FILE',
    message: 'one of KEK_FILE, KEK and VAULT_ADDR must be set',
    holds: ({ KEK_FILE, KEK, VAULT_ADDR }) => (KEK_FILE ?? KEK ?? VAULT_ADDR) !== undefined,
  },
  {
    key: 'VAULT_ADDR',
    message: 'it needs VAULT_TOKEN_FILE or VAULT_KUBERNETES_ROLE, and not both',
    holds: ({ VAULT_ADDR, VAULT_TOKEN_FILE: tokenFile, VAULT_KUBERNETES_ROLE: role }) =>
      VAULT_ADDR === undefined || (tokenFile === undefined) !== (role === undefined),
  },
  ...(['VAULT_TOKEN_FILE', 'VAULT_KUBERNETES_ROLE', 'VAULT_CA_FILE'] as const).map(needsVault),
]

export function withKekRules<T extends z.ZodType<KekSettings>>(fields: T): T {
  return rules.reduce(
    (ruled, { key, message, holds }) => ruled.refine(holds, keyRule(key, message)),
    fields,
  )
}

/**
 * Returns what is wrong with the lines, or undefined. A message about a line contains its number and the rule, never
 * its text.
 */
function kekProblem(contents: Buffer | string): string | undefined {
  try {
    parseKekFile(contents.toString('utf8'))
    return undefined
  } catch (error) {
    return hasCode(error, 'fieldcrypt.kek_file_invalid') ? error.message : 'it contains no keys'
  }
}
