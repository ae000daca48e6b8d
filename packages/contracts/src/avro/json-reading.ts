// The state of one reading of one JSON body, strict or lenient, that all its readers share. Nothing of it
// outlives the body. Why two readings: `read-json.ts`.
import { Unreadable } from '../unreadable.ts'
import { depthMax } from './types.ts'

export type JsonReading = {
  readonly isLenient: boolean
  /** Members of all objects seen, to be held against the text: more of them there means one is double. */
  members: number
  /** Octets that omitted fields may still bring in: a short body must not grow without bound. */
  defaultsLeft: number
  /** While branches of a union are tried. No trial inside of a trial, or the cost doubles per level. */
  isTrial: boolean
}

/** `depth` counts the records, lists and maps around the value. */
export type ReadJson = (json: unknown, reading: JsonReading, depth: number) => unknown

/** Thrown by the strict reading only, made once: the lenient reading then finds the words. */
export const notStrict = new Error('not strict Avro JSON')

export function refuse(reading: JsonReading, sentence: string): Error {
  return reading.isLenient ? new Unreadable(sentence) : notStrict
}

export function deeper(reading: JsonReading, depth: number): number {
  if (depth >= depthMax) throw refuse(reading, `is nested deeper than ${depthMax}`)
  return depth + 1
}
