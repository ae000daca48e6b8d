// When each alert fires, and the nearest thing that must not make it fire. Values are as promtool reads them:
// `0+1x10` is a series of eleven values, a minute apart, that grows by one; `_x3` is three minutes without one.

export type Case = {
  alert: string
  /** After so many minutes. */
  at: number
  fires: Readonly<Record<string, string>>
  quiet: Readonly<Record<string, string>>
}
