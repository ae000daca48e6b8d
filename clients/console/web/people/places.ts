// The places that contain events of a person, in words. Pure.
import type { Contract, Output } from '../api/account.ts'
import type { Held, PersonalField } from '../api/held.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { fieldsByLevel, levelsInWords, personalFieldsOf } from './levels.ts'

/** The part of a stream's search result that is used here. */
export type FoundPlaces = {
  readonly stream: string
  readonly by: readonly { readonly contract: string }[]
  readonly held: readonly Held[]
  readonly consent: readonly { readonly level: number }[]
  readonly isErased: boolean
  readonly withdrawn: readonly number[]
  readonly notSearched: string
}

export type Knowing = {
  readonly contracts: readonly Pick<Contract, 'id' | 'levels'>[]
  readonly words: LevelWords
}

export const placeKinds = {
  input: 'stream',
  output: 'output',
  dead: 'dead letters of an output',
  deleted: 'deleted output',
} as const satisfies Record<Held['kind'], string>

/** Returns the decrypted and the encrypted personal fields of a place. In the input, all are encrypted. */
export function personalFieldsIn(
  { kind, fields }: Pick<Held, 'kind' | 'fields'>,
  { by }: Pick<FoundPlaces, 'by'>,
  { contracts, words }: Knowing,
): { readonly decrypted: string; readonly encrypted: string } {
  const all = personalFieldsOf(contracts.filter(({ id }) => by.some((one) => one.contract === id)))
  if (kind === 'input') return { decrypted: '', encrypted: fieldsByLevel(all, words) }
  if (fields.length === 0) return { decrypted: '', encrypted: 'all personal fields' }
  const isDecrypted = ({ contract, path }: PersonalField): boolean =>
    fields.some((field) => field.contract === contract && field.path === path)
  // If only outputs still have events, these may be of any contract.
  const isAll = all.length > 0 && all.every(isDecrypted)
  const others = all.length === 0 ? 'other personal fields, if any' : 'all other personal fields'
  return { decrypted: fieldsByLevel(fields, words), encrypted: isAll ? '' : others }
}

/** Returns the levels that readers can decrypt, in words; empty if none. */
export function readersDecrypt(
  { isErased, withdrawn }: Pick<FoundPlaces, 'isErased' | 'withdrawn'>,
  output: Output | undefined,
  words: LevelWords,
): string {
  if (isErased || output?.keyMaxAgeSeconds === undefined) return ''
  const but = withdrawn.length === 0 ? '' : ', except what is withdrawn'
  return `${levelsInWords(output, words)}${but}`
}
