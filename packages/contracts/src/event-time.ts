// The header `svc-time` contains the time of an event. Records of derived and dead letter topics have the broker's time
// (`message.timestamp.type=LogAppendTime`), but key lookup, retries and readers need the event's time.
export const timeHeader = 'svc-time'

// svc-time = ["-"] 1*16DIGIT       ; milliseconds since 1970
const form = /^-?\d{1,16}$/

export const writeTime = (timestampMs: number): string => String(timestampMs)

type Timed = {
  readonly headers: Readonly<Record<string, Buffer>>
  readonly timestampMs: number
}

/** Returns the record's timestamp if the header is missing, as in input topics, or invalid. */
export function eventTimeOf({ headers, timestampMs }: Timed): number {
  const text = headers[timeHeader]?.toString() ?? ''
  const time = form.test(text) ? Number(text) : timestampMs
  return Number.isSafeInteger(time) ? time : timestampMs
}
