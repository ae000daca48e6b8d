// Requests to stop a program of this repository: Ctrl-C, SIGTERM, or the end of its parent process. A terminal's Ctrl-C
// reaches the whole process group, and npm forwards it a second time. So a second signal within a moment counts as the
// same request.

const SAME_WISH_MS = 1000

/** Returns a signal that the first request aborts. The second request ends the process immediately, with code 1. */
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
  // Ignores errors of a lost terminal, because a clean stop matters more than output.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return wish.signal
}
