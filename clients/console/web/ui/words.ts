// Numbers and times in words. Times are in UTC, as in receipts and responses of the API.

const plain = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

export const count = (value: number): string => plain.format(value)

export const compact = (value: number): string =>
  value < 10_000 ? plain.format(value) : short.format(value)

export function rate(perSecond: number): string {
  if (perSecond === 0) return '0 / s'
  return `${perSecond < 10 ? perSecond.toFixed(1) : compact(Math.round(perSecond))} / s`
}

export const hasSpaceAround = (text: string): boolean => text !== text.trim()

export const many = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZone: 'UTC',
})
export const timeOfDay = (epochMs: number): string => clock.format(epochMs)

const calendar = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
})
export const dateAndTime = (iso: string): string =>
  Number.isNaN(Date.parse(iso)) ? '' : calendar.format(Date.parse(iso))

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
/** Returns only the day, because the end of a retention is not known more precisely. */
export const dayOf = (iso: string): string =>
  Number.isNaN(Date.parse(iso)) ? '' : days.format(Date.parse(iso))

/** Returns the day in UTC, such as 2026-12-24. */
export const isoDay = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10)

/** Whether a day such as 2026-12-24 is over, in UTC. */
export const isPast = (day: string): boolean => day !== '' && day < isoDay(Date.now())

/** Returns the same day of the next month, in UTC, or the last day of a shorter month. */
export function inOneMonth(nowMs = Date.now()): string {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  const lastDay = new Date(Date.UTC(year, month + 2, 0)).getUTCDate()
  return isoDay(Date.UTC(year, month + 1, Math.min(now.getUTCDate(), lastDay)))
}

/** Says by when something is expected, and whether this time has passed. */
export function byTime(iso: string, nowMs = Date.now()): string {
  const atMs = Date.parse(iso)
  if (Number.isNaN(atMs)) return 'not yet'
  const by = calendar.format(atMs)
  return atMs < nowMs ? `overdue, expected by ${by}` : `at the latest ${by}`
}

export function completeBy(iso: string, nowMs = Date.now()): string {
  const by = byTime(iso, nowMs)
  return by.startsWith('at the latest') ? `usually after 11 to 15 minutes, ${by}` : by
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']

export function bytes(value: number): string {
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  return `${Number((value / 1000 ** step).toPrecision(3))} ${units[step] ?? ''}`
}
