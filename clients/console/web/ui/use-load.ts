// Loads what a page shows: again if a dependency changes, or on demand. A response that arrives after a newer request
// is ignored.
import { useEffect, useState } from 'preact/hooks'

export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: unknown
  reload(): void
}

export function useLoad<T>(load: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown }>({})
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isWanted = true
    load().then(
      (value) => isWanted && setState({ value }),
      (error: unknown) => isWanted && setState((before) => ({ ...before, error })),
    )
    return () => void (isWanted = false)
  }, [...on, round])
  return { value: state.value, error: state.error, reload: () => setRound((one) => one + 1) }
}
