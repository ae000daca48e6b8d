// Tracks whether followed topics were read to their ends: at the start, and each time the tables are cleared. Before
// the end, the tables may contain data that a later record removes.
import { delay } from '@weir/kit'

export type WholeReading = {
  /**
   * Resolves when all records stored so far are read. Never resolves if `close` is called first, so a service that gets
   * SIGTERM during its start stops without an error.
   */
  start(): Promise<void>
  isDone(): boolean
  /** Call when the tables are cleared. */
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
