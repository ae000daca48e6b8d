// The ways to ask a program of this repository to end: Ctrl-C, SIGTERM, or the end of the process that
// started it. A terminal's Ctrl-C reaches the whole process group and npm passes it on once more, so what
// follows within a moment is the same wish.

const SAME_WISH_MS = 1000

/** Aborted at the first wish; the second ends the process at once with code 1, and its children with it. */
export function onStopWish(): AbortSignal {
  const wish = new AbortController()
  let firstAt: number | undefined
  const ask = () => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_WISH_MS) process.exit(1)
    firstAt ??= performance.now()
    wish.abort()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask)
  process.on('disconnect', () => wish.abort())
  // With the terminal gone there is nobody to write to; ending in order matters more.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return wish.signal
}
