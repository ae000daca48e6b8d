// Events per second, computed from offsets at several times. Deriving commits in steps, so a single step would be
// misleading.

export type Seen = { readonly atMs: number; readonly end: number; readonly next: number }
export type Rates = { readonly stored: number; readonly derived: number }

const spanMs = 10_000

/** Appends the newest offsets, and drops those older than the span. */
export function withSeen(before: readonly Seen[], now: Seen): readonly Seen[] {
  return [...before.filter(({ atMs }) => now.atMs - atMs <= spanMs), now]
}

export function ratesOf(seen: readonly Seen[]): Rates | undefined {
  const first = seen[0]
  const last = seen.at(-1)
  if (first === undefined || last === undefined || last.atMs === first.atMs) return undefined
  const seconds = (last.atMs - first.atMs) / 1000
  const perSecond = (moved: number): number => Math.max(0, moved / seconds)
  return {
    stored: perSecond(last.end - first.end),
    derived: perSecond(last.next - first.next),
  }
}
