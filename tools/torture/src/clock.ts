// How far the clocks of the services have to be off for a full hour to come when a run wants it. Less than half
// an hour: Kafka refuses records that are an hour ahead of its own clock.

const hourMs = 3_600_000

export function shiftFor(nowMs: number, untilFullHourMs: number): number {
  const past = (nowMs + untilFullHourMs) % hourMs
  return past <= hourMs / 2 ? -past : hourMs - past
}
