// What a body is split into, in every framing.

/** An event's octets, or why there are none: the event is too large, or the body ends within it. */
export type FramedEvent = Buffer | 'too_large' | 'cut_off'

export type Framing = {
  /**
   * The events that end in this chunk, in order. Each is cut out when it is requested, and shares the chunk's memory.
   */
  push(chunk: Buffer): Iterable<FramedEvent>
  /** Ends the body, and returns the rest. */
  end(): Iterable<FramedEvent>
}
