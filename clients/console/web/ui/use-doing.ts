// An action that takes a moment and may fail: whether it is running, and the last error.
import { useState } from 'preact/hooks'

export type Doing = {
  run(): void
  /** Calls `run`, and stops the browser from submitting the form. */
  onSubmit(event: Event): void
  /** Forgets the error, which may no longer be true after a change in the form. */
  forget(): void
  readonly isDoing: boolean
  readonly error: unknown
}

export function useDoing(work: () => Promise<void>): Doing {
  const [state, setState] = useState<{ isDoing: boolean; error?: unknown }>({ isDoing: false })
  const run = async (): Promise<void> => {
    setState({ isDoing: true })
    try {
      await work()
      setState({ isDoing: false })
    } catch (error) {
      setState({ isDoing: false, error })
    }
  }
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void run()
  }
  const forget = (): void => setState(({ isDoing }) => ({ isDoing }))
  return { run: () => void run(), onSubmit, forget, isDoing: state.isDoing, error: state.error }
}
