// What a page shows once it has been asked for: again when a dependency changes, or on demand. An answer that comes
// after a newer question is dropped.
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
