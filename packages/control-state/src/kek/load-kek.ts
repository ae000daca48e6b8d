// Combines all sources of KEKs. Each wrapping key is unwrapped by the KEK that its record names, even if new keys are
// wrapped by another KEK. So `weir keys rotate` can move keys from one source to another while both are configured.
import { kekIdsIn, parseKekFile } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { hasCode, readSettingFile } from '@weir/kit'
import type { KekSettings } from './kek-settings.ts'
import type { HeldKeks, KekPlace } from './kek-place.ts'
import type { KekOfKey } from './kek-wraps.ts'
import { createVault } from './vault.ts'
import { ControlStateError } from '../errors.ts'

/**
 * Services that only unwrap pass no `kekOf`.
 * @throws AppError `kit.setting_file_unreadable`, `control-state.kek_file_invalid`
 */
export async function loadKek(
  settings: KekSettings,
  kekOf?: KekOfKey,
): Promise<KekProvider & HeldKeks> {
  const places = new Map<string, KekPlace>()
  const { KEK_FILE: file, KEK: lines } = settings
  if (file !== undefined) places.set('file', await linesPlace('file', () => linesIn(file)))
  if (lines !== undefined) places.set('env', await linesPlace('env', async () => lines))
  const vault = createVault(settings)
  if (vault !== undefined) places.set('vault', vault)

  const placeOf = (provider: string): KekPlace => {
    const place = places.get(provider)
    if (place !== undefined) return place
    throw new ControlStateError(
      'control-state.kek_not_configured',
      `no KEKs of the provider ${provider} are configured here`,
    )
  }
  return {
    async wrap(recordKey, plain) {
      if (kekOf === undefined)
        throw new ControlStateError('control-state.kek_not_assigned', 'this service wraps no keys')
      const { provider, name } = kekOf(keyNameOf(recordKey))
      return placeOf(provider).wrap(name, recordKey, plain)
    },
    unwrap: async (recordKey, kek, wrapped) =>
      placeOf(providerOf(kek)).unwrap(recordKey, kek, wrapped),
    async has(kek) {
      const place = places.get(providerOf(kek))
      if (place === undefined) throw notTold(kek)
      return place.has(kek)
    },
    held: async () => (await Promise.all([...places.values()].map((place) => place.held()))).flat(),
  }
}

/** Returns the error for a KEK whose source isn't configured. Only the source knows whether the KEK still exists. */
function notTold(kek: string): ControlStateError<'control-state.kek_not_configured'> {
  const setting = { file: 'KEK_FILE', env: 'KEK', vault: 'VAULT_ADDR' }[providerOf(kek)]
  const advice = setting === undefined ? 'its provider is unknown' : `set ${setting} until it is`
  return new ControlStateError(
    'control-state.kek_not_configured',
    `whether ${kek} still exists is unknown: ${advice}`,
  )
}

const providerOf = (kek: string): string => kek.slice(0, kek.indexOf(':'))
const keyNameOf = (recordKey: string): string => recordKey.split('/')[1] ?? ''

/**
 * Reads the lines for each use: a few times per start, and for each heartbeat. So an added KEK version works
 * immediately, and a removed version stays in no process's memory.
 */
async function linesPlace(
  provider: 'file' | 'env',
  read: () => Promise<string>,
): Promise<KekPlace> {
  parseKekFile(await read())
  return {
    wrap: async (name, recordKey, plain) =>
      parseKekFile(await read(), { provider, name }).wrap(recordKey, plain),
    unwrap: async (...wrapped) => parseKekFile(await read(), { provider }).unwrap(...wrapped),
    has: async (kek) => parseKekFile(await read(), { provider }).has(kek),
    held: async () => kekIdsIn(await read(), provider),
  }
}

async function linesIn(file: string): Promise<string> {
  const text = (await readSettingFile('KEK_FILE', file)).toString('utf8')
  try {
    parseKekFile(text)
    return text
  } catch (error) {
    if (!hasCode(error, 'fieldcrypt.kek_file_invalid')) throw error
    const message = `KEK_FILE names the file ${file}, which can't be used: ${error.message}`
    throw new ControlStateError('control-state.kek_file_invalid', message)
  }
}
