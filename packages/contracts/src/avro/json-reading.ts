// The state while one JSON body is read, strictly or leniently. The readers of all values in the body share it.
// `read-json.ts` explains the two ways of reading.
import { Unreadable } from '../unreadable.ts'
import { depthMax } from './types.ts'

export type JsonReading = {
  readonly isLenient: boolean
  /** The number of members in all objects that were read. If the text has more, it contains a member twice. */
  members: number
  /**
   * How many octets the defaults of omitted fields may still add. Without this bound, a short body could become an
   * event of any size.
   */
  defaultsLeft: number
  /**
   * True while the branches of a union are tried. A trial never contains another trial, because the cost would double
   * per level.
   */
  isTrial: boolean
}

/** `depth` counts the records, lists and maps around the value. */
export type ReadJson = (json: unknown, reading: JsonReading, depth: number) => unknown

/**
 * Only the strict reading throws this error. It has no details, because the lenient reading follows, and reports them.
 */
export const notStrict = new Error('not strict Avro JSON')

export function refuseJson(reading: JsonReading, sentence: string): Error {
  return reading.isLenient ? new Unreadable(sentence) : notStrict
}

export function deeper(reading: JsonReading, depth: number): number {
  if (depth >= depthMax) throw refuseJson(reading, `is nested deeper than ${depthMax}`)
  return depth + 1
}
