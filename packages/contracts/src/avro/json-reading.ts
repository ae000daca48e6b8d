// The state of one reading of one JSON body, strict or lenient, that all its readers share. None of it outlives the
// body. `read-json.ts` says why there are two readings.
import { Unreadable } from '../unreadable.ts'
import { depthMax } from './types.ts'

export type JsonReading = {
  readonly isLenient: boolean
  /** Members of all objects seen, to be compared with the text: if the text has more, one is double. */
  members: number
  /** Octets that omitted fields may still add: a short body must not grow without bound. */
  defaultsLeft: number
  /**
   * True while branches of a union are tried. There are no trials inside a trial, or the cost would double per level.
   */
  isTrial: boolean
}

/** `depth` counts the records, lists and maps around the value. */
export type ReadJson = (json: unknown, reading: JsonReading, depth: number) => unknown

/** Thrown only by the strict reading, created once: the lenient reading then finds the words. */
export const notStrict = new Error('not strict Avro JSON')

export function refuseJson(reading: JsonReading, sentence: string): Error {
  return reading.isLenient ? new Unreadable(sentence) : notStrict
}

export function deeper(reading: JsonReading, depth: number): number {
  if (depth >= depthMax) throw refuseJson(reading, `is nested deeper than ${depthMax}`)
  return depth + 1
}
