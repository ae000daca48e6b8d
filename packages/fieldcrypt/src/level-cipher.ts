// The state that encrypts and decrypts the fields of one person, level, epoch and consent: the expanded key, and S2V's state for
// each field path. Created once, and used for every event of a session.
import { adStateOf, expandSivKey, wipeAdState, wipeSivKey } from './aes-siv.ts'
import type { AdState, SivKey } from './aes-siv.ts'
import type { Consent } from './consent.ts'

// Each further personal field of the same level costs two or three more AES blocks.
const FIELDS_KEPT_MAX = 32

export type LevelCipher = {
  readonly level: number
  readonly consent: Consent
  readonly key: SivKey
  readonly fields: { readonly path: string; readonly state: AdState }[]
}

/** Overwrites the key that it gets. */
export function levelCipher(level: number, consent: Consent, sivKey: Buffer): LevelCipher {
  const key = expandSivKey(sivKey)
  sivKey.fill(0)
  return { level, consent, key, fields: [] }
}

/** The S2V state for a field path. Uses the workspace. */
export function fieldState(cipher: LevelCipher, path: string): AdState {
  for (const field of cipher.fields) if (field.path === path) return field.state
  const state = adStateOf(cipher.key, [path])
  if (cipher.fields.length < FIELDS_KEPT_MAX) cipher.fields.push({ path, state })
  return state
}

export function wipeLevelCipher(cipher: LevelCipher): void {
  wipeSivKey(cipher.key)
  for (const { state } of cipher.fields) wipeAdState(state)
  cipher.fields.length = 0
}
