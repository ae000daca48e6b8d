// How far to shift the services' clocks, so that they reach a full hour when a run needs it. The shift is at most half
// an hour, because Kafka refuses records that are an hour ahead of its own clock.

const hourMs = 3_600_000

export function shiftFor(nowMs: number, untilFullHourMs: number): number {
  const past = (nowMs + untilFullHourMs) % hourMs
  return past <= hourMs / 2 ? -past : hourMs - past
}
