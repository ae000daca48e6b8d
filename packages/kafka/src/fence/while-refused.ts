// Retries a transaction's request if Kafka has certainly refused it with a retriable error, or never received it. Any
// other error goes to the caller, because the outcome may be unknown.
import { delay, hasCode } from '@weir/kit'

import { protocolTypeOf } from '../connect/faults.ts'

const PATIENCE_MS = 3_000
const PAUSE_MAX_MS = 100

export async function whileRefused<T>(
  passing: readonly string[],
  ask: (lastRefusal: string) => Promise<T>,
): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  let refusal = ''
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)) {
    try {
      return await ask(refusal)
    } catch (error) {
      const type = hasCode(error, 'kafka.not_sent') ? '' : protocolTypeOf(error)
      const isPassing = type === '' || (type !== undefined && passing.includes(type))
      if (!isPassing || performance.now() > end) throw error
      refusal = type
    }
    await delay(pauseMs)
  }
}
