// The state of reading one JSON body, strictly or leniently. All readers share it. It is dropped with the body.
// `read-json.ts` says why there are two readings.
import { Unreadable } from '../unreadable.ts'
import { depthMax } from './types.ts'

export type JsonReading = {
  readonly isLenient: boolean
  /** The members of all objects seen. If the text has more, one member is written twice. */
  members: number
  /** The octets that omitted fields may still add. The bound keeps a short body from growing without limit. */
  defaultsLeft: number
  /**
   * True while the branches of a union are tried. A trial never contains another trial, because the cost would double
   * per level.
   */
  isTrial: boolean
}

/** `depth` counts the records, lists and maps around the value. */
export type ReadJson = (json: unknown, reading: JsonReading, depth: number) => unknown

/** Only the strict reading throws this error. It has no details, because the lenient reading then finds them. */
export const notStrict = new Error('not strict Avro JSON')

export function refuseJson(reading: JsonReading, sentence: string): Error {
  return reading.isLenient ? new Unreadable(sentence) : notStrict
}

export function deeper(reading: JsonReading, depth: number): number {
  if (depth >= depthMax) throw refuseJson(reading, `is nested deeper than ${depthMax}`)
  return depth + 1
}
