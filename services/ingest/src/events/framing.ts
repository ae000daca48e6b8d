// The types that all framings of a body share.

/** An event's octets, or why they are missing: the event is too large, or the body ends within the event. */
export type FramedEvent = Buffer | 'too_large' | 'cut_off'

export type Framing = {
  /**
   * Yields the events that end in this chunk, in order. An event that lies within the chunk shares the chunk's memory.
   */
  push(chunk: Buffer): Iterable<FramedEvent>
  /** Ends the body, and returns the remaining events. */
  end(): Iterable<FramedEvent>
}
