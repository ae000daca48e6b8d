// Reads the records of streams in responses of management.
import { isObject, textAt } from '../json.ts'
import type { JsonObject } from '../json.ts'

export const streamNameOf = (record: unknown): string | undefined =>
  textAt(record, 'ref', 'name') ?? textAt(record, 'name')

/** Returns the records of a list, which is the array itself, or the array in an object. */
export function streamRecordsOf(answer: unknown): readonly JsonObject[] {
  const list = isObject(answer) ? Object.values(answer).find(Array.isArray) : answer
  return Array.isArray(list) ? list.filter(isObject) : []
}
