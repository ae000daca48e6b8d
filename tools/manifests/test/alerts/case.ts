// A case in which an alert must fire, and the closest case in which it must not fire. Values are in promtool's syntax:
// `0+1x10` is a series of eleven values, a minute apart, that increases by one; `_x3` is three minutes without a value.

export type Case = {
  alert: string
  /** The minute at which the alert is evaluated. */
  at: number
  fires: Readonly<Record<string, string>>
  quiet: Readonly<Record<string, string>>
}
