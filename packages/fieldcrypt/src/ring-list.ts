// A doubly linked ring, by order of use. Its head holds no entry; the newest stands on one side of it,
// the oldest on the other. Moving a link is a few assignments, which is all that a hit in a cache may
// cost.
export class RingLink<Entry> {
  /** Undefined for a head. */
  entry: Entry | undefined
  #newer: RingLink<Entry> = this
  #older: RingLink<Entry> = this

  /** Of a head: the entry used longest ago, undefined when the ring is empty. */
  get oldest(): Entry | undefined {
    return this.#newer.entry
  }

  unlink(): void {
    this.#newer.#older = this.#older
    this.#older.#newer = this.#newer
    this.#newer = this
    this.#older = this
  }

  /** Makes this the newest of the head's ring. */
  moveTo(head: RingLink<Entry>): void {
    if (head.#older === this) return
    this.unlink()
    this.#newer = head
    this.#older = head.#older
    head.#older.#newer = this
    head.#older = this
  }
}
