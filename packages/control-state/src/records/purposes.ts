// A purpose gives a consent level names. Events and outputs contain only the number of the level.

export type ConsentPurpose = {
  /** For programs: `marketing`. */
  readonly name: string
  /** For people: «marketing e-mails». */
  readonly title: string
  readonly level: number
}
