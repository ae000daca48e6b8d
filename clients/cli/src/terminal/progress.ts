// A progress line, which is redrawn in place. It is shown on standard error if this is a terminal, and removed at the
// end.
import type { Terminal } from './terminal.ts'

export type ProgressLine = {
  /** `total` is undefined while it is unknown. `what` replaces the text, `counted` replaces the numbers. */
  show(done: number, total: number | undefined, what?: string, counted?: string): void
  /** Removes the line. */
  end(): void
}

const everyMs = 100
const cells = 24

export function createProgressLine(
  { screen }: Pick<Terminal, 'screen'>,
  what: string,
): ProgressLine {
  if (screen === undefined) return { show: () => undefined, end: () => undefined }
  const startedMs = performance.now()
  let shownMs = -Infinity
  let said = what
  return {
    show(done, total, now, told) {
      said = now ?? said
      const isLast = total !== undefined && done >= total
      if (!isLast && performance.now() - shownMs < everyMs) return
      shownMs = performance.now()
      screen.draw(
        lineOf(said, { done, total, counted: told, elapsedMs: shownMs - startedMs }).slice(
          0,
          screen.columns() - 1,
        ),
      )
    },
    end: () => screen.draw(''),
  }
}

export type ProgressState = {
  readonly done: number
  readonly total: number | undefined
  readonly elapsedMs: number
  /** Shown instead of the two numbers. */
  readonly counted?: string | undefined
}

/** `reading  [######------------------]  25 %  1,250 of 5,000  12 s left`. Pure. */
export function lineOf(what: string, { done, total, counted, elapsedMs }: ProgressState): string {
  if (total === undefined) return `${what}  ${grouped(done)}`
  const share = total === 0 ? 1 : Math.min(1, Math.max(0, done / total))
  const full = Math.round(share * cells)
  const bar = `[${'#'.repeat(full)}${'-'.repeat(cells - full)}]`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  const parts = [what, bar, percent, counted ?? `${grouped(done)} of ${grouped(total)}`]
  return [...parts, ...leftOf(share, elapsedMs)].join('  ')
}

function leftOf(share: number, elapsedMs: number): string[] {
  if (share < 0.02 || share >= 1 || elapsedMs < 2_000) return []
  const seconds = Math.ceil((elapsedMs * (1 - share)) / share / 1_000)
  return [seconds < 90 ? `${seconds} s left` : `${Math.ceil(seconds / 60)} min left`]
}

const grouped = (count: number): string => Math.floor(count).toLocaleString('en-US')
