// The answer to many events as it grows: how many were stored, and the others as JSON in order of their index.
// Short answers are one piece; of long ones the rejected come out first, as they are known.
import { statusOf } from '../errors.ts'
import type { Refused } from '../errors.ts'

export type BatchAnswer = {
  /** How many are stored. */
  accepted: number
  /** Of the rejected that are not taken yet. */
  readonly length: number
  /** A part of it is taken. */
  readonly hasBegun: boolean
  reject(index: number, refused: Refused): void
  /** The rejected so far; none of a lower index may come after. */
  takeRejected(): Buffer
  /** What is left, when every event has its outcome. */
  end(): Buffer
}

type Rejected = { readonly index: number; readonly json: string }

export function createBatchAnswer(): BatchAnswer {
  let rejected: Rejected[] = []
  let length = 0
  let hasBegun = false

  const inOrder = (): string =>
    rejected
      .toSorted((a, b) => a.index - b.index)
      .map(({ json }) => json)
      .join(',')

  return {
    accepted: 0,
    get length() {
      return length
    },
    get hasBegun() {
      return hasBegun
    },
    reject(index, { code, message }) {
      const json = JSON.stringify({ index, status: statusOf(code), code, message })
      rejected.push({ index, json })
      length += json.length
    },
    takeRejected() {
      const text = (hasBegun ? ',' : '{"rejected":[') + inOrder()
      rejected = []
      length = 0
      hasBegun = true
      return Buffer.from(text)
    },
    end() {
      if (!hasBegun) return Buffer.from(`{"accepted":${this.accepted},"rejected":[${inOrder()}]}`)
      const last = rejected.length === 0 ? '' : `,${inOrder()}`
      return Buffer.from(`${last}],"accepted":${this.accepted}}`)
    },
  }
}
