// The pieces of a body, in every framing.

/** An event's octets, or why they are missing: the event is too large, or the body ends within the event. */
export type FramedEvent = Buffer | 'too_large' | 'cut_off'

export type Framing = {
  /** The events that end in this chunk, in order. Each is cut out on request, and shares the chunk's memory. */
  push(chunk: Buffer): Iterable<FramedEvent>
  /** Ends the body, and returns the remaining events. */
  end(): Iterable<FramedEvent>
}
