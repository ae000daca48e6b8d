// HashiCorp Vault's Transit engine as a source of KEKs, through its HTTP API. Vault wraps and unwraps wrapping keys (32
// bytes) a few times per start, and never key records. Of Vault's response, an error contains only the status, so no
// message can contain a token or a key.
//
//   kek     = "vault:" name ":" version                 ; Transit's own version
//   wrapped = "vault:v" version ":" base64              ; as Transit returns it; associated_data = base64(record key)
import type { HttpAnswer } from '@weir/kit'
import type { KekSettings } from './kek-settings.ts'
import type { KekPlace } from './kek-place.ts'
import { createCallVault, objectIn, parsed } from './vault-http.ts'
import { createVaultLogin } from './vault-login.ts'
import { ControlStateError } from '../errors.ts'

const KEK_ID = /^vault:([A-Za-z0-9][A-Za-z0-9._-]{0,62}):([1-9][0-9]{0,8})$/
const WRAPPED = /^vault:v([1-9][0-9]{0,8}):[A-Za-z0-9+/]+={0,2}$/

/** Returns undefined if Vault isn't configured. */
export function createVault(settings: KekSettings): KekPlace | undefined {
  if (settings.VAULT_ADDR === undefined) return undefined
  const transit = createTransit(settings.VAULT_ADDR, settings)
  return {
    async wrap(name, recordKey, plain) {
      const data = await transit.run('encrypt', name, {
        plaintext: plain.toString('base64'),
        associated_data: base64Of(recordKey),
      })
      const wrapped = data['ciphertext']
      const version = typeof wrapped === 'string' ? WRAPPED.exec(wrapped)?.[1] : undefined
      if (typeof wrapped !== 'string' || version === undefined)
        throw refused('Vault returns a response without the wrapped key')
      return { kek: `vault:${name}:${version}`, wrapped: Buffer.from(wrapped) }
    },
    async unwrap(recordKey, kek, wrapped) {
      const name = KEK_ID.exec(kek)?.[1]
      if (name === undefined) throw refused(`record ${recordKey} names no KEK of Vault`)
      const data = await transit.run('decrypt', name, {
        ciphertext: wrapped.toString('utf8'),
        associated_data: base64Of(recordKey),
      })
      const plain = data['plaintext']
      if (typeof plain !== 'string')
        throw refused('Vault returns a response without the unwrapped key')
      return Buffer.from(plain, 'base64')
    },
    async has(kek) {
      const [, name, version] = KEK_ID.exec(kek) ?? []
      if (name === undefined) throw refused(`${kek} is not a KEK of Vault`)
      // Vault has deleted all versions before `oldestVersion`. It still has all others, even if it refuses to decrypt
      // with them.
      return Number(version) >= (await transit.oldestVersion(name, Number(version)))
    },
    held: async () => [],
  }
}

function createTransit(address: string, settings: KekSettings) {
  const mount = settings.VAULT_TRANSIT_MOUNT
  const call = createCallVault(address, settings.VAULT_CA_FILE)
  const login = createVaultLogin(call, settings)

  const ask = async (path: string, body?: object): Promise<HttpAnswer> => {
    const once = async () =>
      call({ path, token: await login.token(), ...(body === undefined ? {} : { body }) })
    const first = await once()
    if (first.status !== 403) return first
    // The token may have been revoked, or replaced.
    login.forget()
    return once()
  }
  return {
    async run(action: 'encrypt' | 'decrypt', name: string, body: object) {
      const path = `${mount}/${action}/${name}`
      return dataOf(await ask(path, body), path)
    },
    /** Returns the oldest version of this key that Vault still has. Throws if the key never had `version`. */
    async oldestVersion(name: string, version: number): Promise<number> {
      const path = `${mount}/keys/${name}`
      const answer = await ask(path)
      // A wrong mount and a deleted key give the same response.
      if (answer.status === 404) throw notTold(path, 'Vault returns 404')
      const data = dataOf(answer, path)
      const { name: said, latest_version: latest, min_available_version: min } = data
      const isOurs = said === name && typeof latest === 'number' && latest >= version
      if (!isOurs || typeof min !== 'number') throw notTold(path, 'it never had this version')
      return min
    },
  }
}

const base64Of = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

function dataOf({ status, text }: HttpAnswer, path: string): Record<string, unknown> {
  if (status !== 200) throw refused(`Vault returns ${status} to ${path}${adviceFor(status)}`)
  return objectIn(objectIn(parsed(text))['data'])
}

function adviceFor(status: number): string {
  if (status === 403) return '; see the policy of our token there'
  if (status === 404) return '; is Transit mounted at VAULT_TRANSIT_MOUNT, with a key of this name?'
  if (status === 400)
    return ': it was not wrapped in this way, or its version may no longer decrypt'
  return ''
}

const notTold = (path: string, why: string) =>
  refused(
    `whether the version of ${path} still exists is unknown: ${why}. See VAULT_TRANSIT_MOUNT; trim a key before it is deleted`,
  )

const refused = (message: string) => new ControlStateError('control-state.kms_refused', message)
