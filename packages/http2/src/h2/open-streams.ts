// The open streams of a connection, in a sorted array. A Map would keep closed streams in memory for seconds: it often
// gets a new table, and the old table keeps the new one alive until V8 collects all garbage.

export class OpenStreams<Stream extends { readonly id: number }> {
  readonly #streams: Stream[] = []

  get size(): number {
    return this.#streams.length
  }

  get(id: number): Stream | undefined {
    const stream = this.#streams[this.#placeOf(id)]
    return stream?.id === id ? stream : undefined
  }

  /** The stream's id must be higher than all ids before. */
  add(stream: Stream): void {
    this.#streams.push(stream)
  }

  delete(id: number): void {
    const streams = this.#streams
    const place = this.#placeOf(id)
    if (streams[place]?.id !== id) return
    // `splice` creates an array, and `copyWithin` is slow for objects
    for (let at = place + 1; at < streams.length; at += 1) {
      const stream = streams[at]
      if (stream !== undefined) streams[at - 1] = stream
    }
    streams.pop()
  }

  /** Returns a copy, the oldest stream first. */
  values(): Stream[] {
    return this.#streams.slice()
  }

  /** Returns the place of the first stream with this id or a higher one. */
  #placeOf(id: number): number {
    let from = 0
    let to = this.#streams.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#streams[middle]?.id ?? id) < id) from = middle + 1
      else to = middle
    }
    return from
  }
}
