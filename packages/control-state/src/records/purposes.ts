// A name for a consent level, for people. Events and outputs use the level alone.

export type ConsentPurpose = {
  /** For programs: `marketing`. */
  readonly name: string
  /** For people: «marketing e-mails». */
  readonly title: string
  readonly level: number
}
