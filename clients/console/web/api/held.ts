// One place with events of a person: an input stream, an output, or dead letters.
export type Held = {
  readonly name: string
  readonly kind: 'input' | 'output' | 'dead' | 'deleted'
  readonly events: number
  /** Events in an input stream that nobody can decrypt any more. */
  readonly erased: number
  readonly fields: readonly PersonalField[]
  /** A time, `unknown`, or empty if there are no events. */
  readonly until: string
  readonly because: string
}

/** A personal field (in `Held`: decrypted). The same path may have another level in another contract. */
export type PersonalField = {
  readonly contract: string
  readonly path: string
  readonly level: number
}

/** Which events a copy contains. */
export type Naming = 'anybody' | 'not others' | 'the person'
