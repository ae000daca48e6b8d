// Starts several things concurrently. In the end either all of them run, or none.

export type Starter<T> = (signal: AbortSignal) => Promise<T>

/** If a start fails, aborts or stops all others, and throws the error. */
export async function startAllOrNone<T>(
  starters: readonly Starter<T>[],
  end: (started: T) => Promise<unknown>,
  calledOff?: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController()
  const signal = AbortSignal.any([failed.signal, ...(calledOff ? [calledOff] : [])])
  const starts = starters.map((start) => start(signal))
  try {
    return await Promise.all(starts)
  } catch (error) {
    failed.abort()
    const settled = await Promise.allSettled(starts)
    const started = settled.filter((one) => one.status === 'fulfilled')
    await Promise.all(started.map(({ value }) => end(value)))
    throw error
  }
}
