// One place that holds events of a person: the stream, an output of it, or dead letters.
export type Held = {
  readonly name: string
  readonly kind: 'input' | 'output' | 'dead' | 'deleted'
  readonly events: number
  /** Events in an input stream that nobody can decrypt any more. */
  readonly erased: number
  readonly fields: readonly PersonalField[]
  /** A time, `unknown`, or empty without events. */
  readonly until: string
  readonly because: string
}

/** A decrypted field. In another contract it may have another level. */
export type PersonalField = {
  readonly contract: string
  readonly path: string
  readonly level: number
}

/** The events of a copy, by whom they name. */
export type Naming = 'anybody' | 'not others' | 'the person'
