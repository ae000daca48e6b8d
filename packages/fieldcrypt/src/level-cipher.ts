// What seals and opens the fields of one person, level and epoch: the expanded key, and S2V's state
// for each field path seen. Made once, used for every event of a session.
import {
  adStateOf,
  expandSivKey,
  wipeAdState,
  wipeSivKey,
  type AdState,
  type SivKey,
} from './aes-siv.ts'

// A contract with more PII fields on one level pays two or three AES blocks more for each of the others.
const FIELDS_KEPT_MAX = 32

export type FieldCipher = {
  readonly path: string
  readonly state: AdState
  /** The sealed text of the value that names the person, once it was made: their events all have it. */
  nameText: string | undefined
}

export type LevelCipher = {
  readonly level: number
  readonly key: SivKey
  readonly fields: FieldCipher[]
}

/** Overwrites the key it is given. */
export function levelCipher(level: number, sivKey: Buffer): LevelCipher {
  const key = expandSivKey(sivKey)
  sivKey.fill(0)
  return { level, key, fields: [] }
}

/** What is kept for a field path. Uses the workspace. */
export function fieldCipher(cipher: LevelCipher, path: string): FieldCipher {
  for (const field of cipher.fields) if (field.path === path) return field
  const field = { path, state: adStateOf(cipher.key, [path]), nameText: undefined }
  if (cipher.fields.length < FIELDS_KEPT_MAX) cipher.fields.push(field)
  return field
}

export function wipeLevelCipher(cipher: LevelCipher): void {
  wipeSivKey(cipher.key)
  for (const { state } of cipher.fields) wipeAdState(state)
  cipher.fields.length = 0
}
