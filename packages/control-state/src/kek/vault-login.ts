// How a service authenticates to Vault: with a token from a file that another program renews, or with the pod's service
// account. For a service account, Vault issues a token with a lifetime.
import { readSettingFileNow } from '@weir/kit'
import type { KekSettings } from './kek-settings.ts'
import { objectIn, parsed } from './vault-http.ts'
import type { CallVault } from './vault-http.ts'
import { ControlStateError } from '../errors.ts'

export type VaultLogin = {
  token(): Promise<string>
  /** Call if Vault has refused the token. Then `token` gets a new one. */
  forget(): void
}

const USED_SHARE = 0.8
const HEADER_SAFE = /^[\x21-\x7e]+$/

export function createVaultLogin(call: CallVault, settings: KekSettings): VaultLogin {
  const { VAULT_TOKEN_FILE: file, VAULT_KUBERNETES_ROLE: role } = settings
  if (role !== undefined) return kubernetesLogin(call, settings, role)
  return {
    token: async () => checked('VAULT_TOKEN_FILE', textOf('VAULT_TOKEN_FILE', file ?? '')),
    forget() {},
  }
}

function kubernetesLogin(call: CallVault, settings: KekSettings, role: string): VaultLogin {
  const { VAULT_KUBERNETES_MOUNT: mount, VAULT_KUBERNETES_TOKEN_FILE: file } = settings
  let known: { readonly token: string; readonly untilMs: number } | undefined
  let asking: Promise<string> | undefined

  const ask = async (): Promise<string> => {
    const askedMs = performance.now()
    const body = { role, jwt: textOf('VAULT_KUBERNETES_TOKEN_FILE', file) }
    const { status, text } = await call({ path: `auth/${mount}/login`, token: undefined, body })
    if (status !== 200)
      throw new ControlStateError(
        'control-state.kms_refused',
        `Vault returns ${status} to the login; see VAULT_KUBERNETES_ROLE and VAULT_KUBERNETES_MOUNT`,
      )
    const auth = objectIn(objectIn(parsed(text))['auth'])
    const token = checked("Vault's answer", auth['client_token'])
    const lifeMs = Number(auth['lease_duration'] ?? 0) * 1_000
    known = { token, untilMs: askedMs + lifeMs * USED_SHARE }
    return token
  }
  return {
    async token() {
      if (known !== undefined && performance.now() < known.untilMs) return known.token
      asking ??= ask().finally(() => (asking = undefined))
      return asking
    },
    forget() {
      known = undefined
    },
  }
}

const textOf = (setting: string, file: string): string =>
  readSettingFileNow(setting, file).toString('utf8').trim()

function checked(where: string, token: unknown): string {
  if (typeof token === 'string' && HEADER_SAFE.test(token)) return token
  throw new ControlStateError('control-state.kms_refused', `${where} contains no Vault token`)
}
