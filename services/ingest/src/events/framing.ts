// What a body is cut into, whichever way its events lie in it.

/** An event's octets, or why there are none: it has too many, or the body ends within it. */
export type FramedEvent = Buffer | 'too_large' | 'cut_off'

export type Framing = {
  /** The events that end in the chunk, in order, each cut when it is asked for; they share its memory. */
  push(chunk: Buffer): Iterable<FramedEvent>
  /** The body is over: what is left. */
  end(): Iterable<FramedEvent>
}
