// One person in one epoch, with the keys derived so far. All of them can be derived again from the tree, so a wiped
// person still works, only more slowly. The keys are private fields, so neither a log nor an inspector shows them.
import type { Consent } from './consent.ts'
import { keyLinkInt, keyLinkUuid, linkDigits, LINK_DIGITS, pathOf, sivKeyOf } from './derivation.ts'
import type { EraKeys } from './era-keys.ts'
import { levelCipher, wipeLevelCipher } from './level-cipher.ts'
import type { LevelCipher } from './level-cipher.ts'
import type { Cacheable } from './cache/lru.ts'
import { packDigits } from './tree/digits.ts'
import { walk } from './primitives/primitives.ts'
import { idOf } from './sealed-text.ts'
import type { KeyTime } from './era.ts'

/** Why there is no key: it is erased for good, or a key record is not available. */
export type NoKey = 'erased' | 'unknown'

export type PersonInEpoch = {
  readonly keyLink: Buffer
  /** Known only for encryption, because a keyLink doesn't contain the generation. */
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

type SealedField = FieldAt & {
  readonly value: string
  readonly text: string
}

const SEALED_KEPT_MAX = 8
/** One event needs fewer. For a person with many different consents, the oldest are derived again when needed. */
const CIPHERS_KEPT_MAX = 32
const VALUE_KEPT_MAX = 63

export class Person implements Cacheable {
  readonly keyLink: Buffer
  /** The keyLink as UUID text: the record key, and the event's keyLink if it is a string. */
  readonly uuid: string
  /** The event's keyLink if it is an int. */
  readonly int: number
  /** The four bytes after the version in an encrypted text. */
  readonly id: number
  readonly streamId: string
  readonly era: number
  readonly epoch: number
  readonly generation: number | undefined
  readonly #link: string
  #keys: EraKeys
  /** The node at the link, where the paths of all levels branch. */
  #node: Uint8Array | undefined
  #levels: LevelCipher[] = []
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
    this.#link = linkDigits(link)
    this.#keys = keys
  }

  /** True if nothing has changed since the person was created or last moved. */
  holds(keys: EraKeys, epoch: number): boolean {
    return this.#keys === keys && this.epoch === epoch
  }

  /** The encrypted text of this value, if the value was the field's last one. */
  sealedText(field: FieldAt, value: string): string | undefined {
    for (const last of this.#sealed)
      if (isSameField(last, field)) return last.value === value ? last.text : undefined
    return undefined
  }

  /** The value of this encrypted text, if the text was the field's last one. */
  openedValue(field: FieldAt, text: string): string | undefined {
    for (const last of this.#sealed)
      if (isSameField(last, field)) return last.text === text ? last.value : undefined
    return undefined
  }

  /** Remembers the field's value until the next value, or a change of keys. Long values are not remembered. */
  keepSealed({ consent, level, path }: FieldAt, value: string, text: string): void {
    if (value.length > VALUE_KEPT_MAX) return
    const field = { consent, level, path, value, text }
    const place = this.#sealed.findIndex((last) => isSameField(last, field))
    if (place >= 0) this.#sealed[place] = field
    else if (this.#sealed.length < SEALED_KEPT_MAX) this.#sealed.push(field)
  }

  /** The part of a cache's limit that this person uses. */
  get weight(): number {
    return 1 + this.#levels.length
  }

  /** The link, for recording the links of a data subject. */
  get link(): Uint8Array {
    return packDigits(this.#link)
  }

  cipher({ level, consent }: Pick<FieldAt, 'level' | 'consent'>): LevelCipher | NoKey {
    for (const cipher of this.#levels)
      if (cipher.level === level && cipher.consent === consent) return cipher
    const sivKey = this.readerKey({ level, consent })
    if (typeof sivKey === 'string') return sivKey
    const cipher = levelCipher(level, consent, sivKey)
    this.#levels.push(cipher)
    const oldest = this.#levels.length > CIPHERS_KEPT_MAX ? this.#levels.shift() : undefined
    if (oldest !== undefined) wipeLevelCipher(oldest)
    return cipher
  }

  /** The 64 bytes of the level's key, for a reader who decrypts. The caller must overwrite them after use. */
  readerKey({ level, consent }: Pick<FieldAt, 'level' | 'consent'>): Buffer | NoKey {
    const leaf = this.#leaf(level)
    if (typeof leaf === 'string') return leaf
    const levelKey = this.#keys.levelKey(level)
    const sivKey = levelKey && sivKeyOf(levelKey, leaf, { epoch: this.epoch, consent })
    leaf.fill(0)
    return sivKey ?? 'unknown'
  }

  /**
   * Moves to keys whose tree may have changed, and drops keys without a stored prefix. Returns false for keys of
   * another era, or new keys of this era; the person must then be created again.
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

  /** True if encryption may use this link: nothing of the person is removed, not even a level. */
  isWhole(): boolean {
    return typeof this.#keys.tree.find(this.#link) === 'object'
  }

  wipe(): void {
    this.#sealed = []
    this.#node?.fill(0)
    this.#node = undefined
    for (const cipher of this.#levels) wipeLevelCipher(cipher)
    this.#levels = []
  }

  #leaf(level: number): Uint8Array | NoKey {
    const path = pathOf(this.#link, level)
    if (this.#node === undefined) {
      const stored = this.#keys.tree.find(path)
      if (typeof stored === 'string') return stored
      if (stored.digits > LINK_DIGITS) return walk(stored.node, path.slice(stored.digits))
      this.#node = walk(stored.node, path.slice(stored.digits, LINK_DIGITS))
    }
    return walk(this.#node, path.slice(LINK_DIGITS))
  }

  /** Drops the node after a part of the person was removed, and levels without a stored prefix of their own. */
  #dropForgotten(): void {
    this.#node?.fill(0)
    this.#node = undefined
    this.#levels = this.#levels.filter((cipher) => {
      const path = pathOf(this.#link, cipher.level)
      const kept = typeof this.#keys.tree.find(path) === 'object'
      if (!kept) wipeLevelCipher(cipher)
      return kept
    })
  }
}

const isSameField = (one: FieldAt, other: FieldAt): boolean =>
  one.level === other.level && one.path === other.path && one.consent === other.consent
