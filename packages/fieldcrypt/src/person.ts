// One person in one epoch, with the keys derived so far. A wiped person keeps no keys, but derives them again at each
// use, which is slower. The keys are private fields, so neither a log nor an inspector shows them.
import type { Consent } from './consent.ts'
import {
  keyLinkInt,
  keyLinkUuid,
  levelDigits,
  linkDigits,
  LINK_DIGITS,
  pathOf,
  sivTail,
} from './derivation.ts'
import type { EraKeys } from './era-keys.ts'
import type { Cacheable } from './cache/lru.ts'
import { siv, walk } from './primitives/primitives.ts'
import type { LevelKey, LevelOf } from './primitives/types.ts'
import { idOf } from './sealed-text.ts'
import type { TextOf } from './sealed-text.ts'
import type { KeyTime } from './era.ts'

/** Why there is no key: it is erased forever, or a key record is not available. */
export type NoKey = 'erased' | 'unknown'

export type PersonInEpoch = {
  readonly keyLink: Buffer
  /** Undefined in decryption, because a keyLink doesn't contain the generation. */
  readonly generation: number | undefined
  readonly link: Uint8Array
  readonly time: KeyTime
}

/** A personal field, and the consent that its event was sent with. */
export type FieldAt = {
  readonly consent: Consent
  readonly level: number
  readonly path: string
}

/** The cipher of one level and consent. */
type LevelCipher = Pick<FieldAt, 'level' | 'consent'> & { readonly cipher: number }

type SealedField = FieldAt & {
  readonly value: string
  readonly text: string
}

const SEALED_KEPT_MAX = 8
/**
 * An event rarely needs more. If a person has many different consents, the oldest ciphers are dropped, and derived
 * again when needed.
 */
const CIPHERS_KEPT_MAX = 32
const VALUE_KEPT_MAX = 63

export class Person implements Cacheable {
  readonly keyLink: Buffer
  /** The keyLink as UUID text, as in the record key. */
  readonly uuid: string
  /** The event's keyLink if it is an int. */
  readonly int: number
  /** The first four bytes of the keyLink, which each encrypted text contains. */
  readonly id: number
  readonly streamId: string
  readonly era: number
  readonly epoch: number
  readonly generation: number | undefined
  readonly link: Uint8Array
  #keys: EraKeys
  /** The node at the end of the link's digits, where the paths of the levels branch. */
  #node: Uint8Array | undefined
  #levels: LevelCipher[] = []
  #isWiped = false
  #sealed: SealedField[] = []

  constructor(keys: EraKeys, { keyLink, generation, link, time }: PersonInEpoch) {
    this.keyLink = keyLink
    this.uuid = keyLinkUuid(keyLink)
    this.int = keyLinkInt(keyLink)
    this.id = idOf(keyLink)
    this.streamId = keys.streamId
    this.era = keys.era
    this.epoch = time.epoch
    this.generation = generation
    this.link = link
    this.#keys = keys
  }

  /** Returns true if the person has these keys and this epoch. */
  holds(keys: EraKeys, epoch: number): boolean {
    return this.#keys === keys && this.epoch === epoch
  }

  /** Returns the encrypted text of the field's last value; undefined for another value. */
  sealedText(field: FieldAt, value: string): string | undefined {
    for (const last of this.#sealed)
      if (isSameField(last, field)) return last.value === value ? last.text : undefined
    return undefined
  }

  /** Returns the value of the field's last text; undefined for another text. */
  openedValue(field: FieldAt, text: string): string | undefined {
    for (const last of this.#sealed)
      if (isSameField(last, field)) return last.text === text ? last.value : undefined
    return undefined
  }

  /**
   * Caches the field's value and text until its next value, or a change of keys. Does not cache long values, or fields
   * beyond `SEALED_KEPT_MAX`.
   */
  keepSealed({ consent, level, path }: FieldAt, value: string, text: string): void {
    if (value.length > VALUE_KEPT_MAX) return
    const field = { consent, level, path, value, text }
    const place = this.#sealed.findIndex((last) => isSameField(last, field))
    if (place >= 0) this.#sealed[place] = field
    // `push` would reserve memory for 16 more
    else if (this.#sealed.length < SEALED_KEPT_MAX) this.#sealed = this.#sealed.concat(field)
  }

  /** The number of cache entries that this person counts as. */
  get weight(): number {
    return 1 + this.#levels.length
  }

  /**
   * Returns what encrypts or decrypts the field. Use it immediately, because a later call, also for another person, may
   * wipe the cipher.
   */
  textOf({ level, consent, path }: FieldAt): TextOf | NoKey {
    const cipher = this.#cipherOf(level, consent)
    return typeof cipher === 'string' ? cipher : { cipher, path, id: this.id }
  }

  #cipherOf(level: number, consent: Consent): number | NoKey {
    for (const known of this.#levels)
      if (known.level === level && known.consent === consent) return known.cipher
    const cipher = this.#keyAt(level, consent, (key, of) => key.cipher(of))
    if (typeof cipher === 'string') return cipher
    if (this.#isWiped) return replaceLoose(cipher)
    this.#levels = this.#levels.concat({ level, consent, cipher })
    const oldest = this.#levels.length > CIPHERS_KEPT_MAX ? this.#levels.shift() : undefined
    if (oldest !== undefined) siv.wipe(oldest.cipher)
    return cipher
  }

  /**
   * Returns the 64 bytes of the sivKey, for a reader that decrypts fields itself. The caller must overwrite the bytes
   * after use.
   */
  readerKey({ level, consent }: Pick<FieldAt, 'level' | 'consent'>): Buffer | NoKey {
    return this.#keyAt(level, consent, (key, of) => key.sivKey(of))
  }

  /**
   * Replaces the keys, and drops ciphers of levels that the new tree does not contain. Returns false for another era,
   * stream or label; the person must then be created again.
   */
  moveTo(keys: EraKeys): boolean {
    const sameEra = keys.era === this.era && keys.streamId === this.streamId
    if (!sameEra || keys.label?.checkValue !== this.#keys.label?.checkValue) return false
    this.#sealed = []
    const treeChanged = keys.tree !== this.#keys.tree
    this.#keys = keys
    if (treeChanged && !this.isWhole()) this.#dropForgotten()
    return true
  }

  /** Returns true if encryption may use this link, because nothing of the person is removed, not even a level. */
  isWhole(): boolean {
    return typeof this.#keys.tree.find(linkDigits(this.link)) === 'object'
  }

  wipe(): void {
    this.#sealed = []
    this.#node?.fill(0)
    this.#node = undefined
    this.#isWiped = true
    for (const { cipher } of this.#levels) siv.wipe(cipher)
    this.#levels = []
  }

  #keyAt<T>(level: number, consent: Consent, take: (key: LevelKey, of: LevelOf) => T): T | NoKey {
    const place = this.#placeOf(level)
    if (typeof place === 'string') return place
    const key = this.#keys.levelKey(level)
    if (key === undefined) return 'unknown'
    return take(key, { ...place, tail: sivTail({ epoch: this.epoch, consent }) })
  }

  /** Returns a node, and the digits from the node to the leaf of the level. */
  #placeOf(level: number): Pick<LevelOf, 'node' | 'digits'> | NoKey {
    if (this.#node !== undefined) return { node: this.#node, digits: levelDigits(level) }
    const path = pathOf(linkDigits(this.link), level)
    const stored = this.#keys.tree.find(path)
    if (typeof stored === 'string') return stored
    if (stored.digits > LINK_DIGITS) return { node: stored.node, digits: path.slice(stored.digits) }
    this.#node = walk(stored.node, path.slice(stored.digits, LINK_DIGITS))
    return { node: this.#node, digits: path.slice(LINK_DIGITS) }
  }

  /** Wipes the node, and the ciphers of levels that are no longer in the tree. */
  #dropForgotten(): void {
    this.#node?.fill(0)
    this.#node = undefined
    this.#levels = this.#levels.filter(({ level, cipher }) => {
      const kept = typeof this.#keys.tree.find(pathOf(linkDigits(this.link), level)) === 'object'
      if (!kept) siv.wipe(cipher)
      return kept
    })
  }
}

/** The last cipher of any wiped person. The next one wipes it, because wiped people keep no ciphers. */
let loose: number | undefined

function replaceLoose(cipher: number): number {
  if (loose !== undefined) siv.wipe(loose)
  loose = cipher
  return cipher
}

const isSameField = (one: FieldAt, other: FieldAt): boolean =>
  one.level === other.level && one.path === other.path && one.consent === other.consent
