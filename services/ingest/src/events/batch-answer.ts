// The response to many events, built step by step: the number of stored events, and the rejected events as JSON,
// ordered by index. A short response is created as a whole. A long response begins with the rejected events.
import { statusOf } from '../errors.ts'
import type { Refused } from '../errors.ts'

export type BatchAnswer = {
  /** The number of stored events. */
  accepted: number
  /** The number of characters of the rejected events that are not taken yet. */
  readonly length: number
  /** Whether a part of the response has been taken. */
  readonly hasBegun: boolean
  reject(index: number, refused: Refused): void
  /** Returns the rejected events so far. Events that are rejected later must have higher indexes. */
  takeRejected(): Buffer
  /** Returns the rest of the response. Call when every event has its outcome. */
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
