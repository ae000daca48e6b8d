// Writes lines to standard error, for programs without `onRetry` or `onError`.

/** Writes a sentence, but at most one per minute for each subject. */
export type Notices = (subject: string, sentence: string) => void

const quietMs = 60_000
const charsMax = 500

export function createNotices(): Notices {
  const writtenAtMs = new Map<string, number>()
  return (subject, sentence) => {
    const nowMs = performance.now()
    for (const [each, atMs] of writtenAtMs) if (nowMs - atMs >= quietMs) writtenAtMs.delete(each)
    if (writtenAtMs.has(subject)) return
    writtenAtMs.set(subject, nowMs)
    const line = sentence.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, charsMax)
    // Unlike a write to the stream, `console.error` never fails.
    // oxlint-disable-next-line no-console
    console.error(`@weir/client: ${line}`)
  }
}
