// Whether followed topics were read to their ends: once at the start, and again each time they start over, because
// half-read tables may contain what a later record removes.
import { delay } from '@weir/kit'

export type WholeReading = {
  /**
   * Resolves when everything stored so far is read. Never resolves if it is closed before: a service that gets SIGTERM
   * during its start stops, and doesn't fail.
   */
  start(): Promise<void>
  isDone(): boolean
  /** The tables are empty again. */
  startOver(): void
  close(): void
}

const never = new Promise<never>(() => {})
const pauseMs = 500

export function createWholeReading(steps: {
  readonly start: () => Promise<void>
  readonly readToEnd: () => Promise<void>
}): WholeReading {
  let isDone = false
  let isClosed = false

  const read = async (): Promise<void> => {
    isDone = false
    while (!isDone && !isClosed)
      await steps.readToEnd().then(
        () => void (isDone = true),
        () => delay(pauseMs),
      )
  }

  return {
    async start() {
      try {
        await steps.start()
        await read()
      } catch (error) {
        if (!isClosed) throw error
      }
      if (!isDone) await never
    },
    isDone: () => isDone,
    startOver() {
      if (isDone) void read()
    },
    close: () => void (isClosed = true),
  }
}
