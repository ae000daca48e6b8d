// A circular doubly linked list, in the order of use. Its head contains no entry; the newest entry is on one side of
// it, the oldest on the other. Moving a link takes a few assignments: a cache hit may cost no more.
export class RingLink<Entry> {
  /** Undefined for a head. */
  entry: Entry | undefined
  #newer: RingLink<Entry> = this
  #older: RingLink<Entry> = this

  /** Of a head: the entry used longest ago; undefined if the list is empty. */
  get oldest(): Entry | undefined {
    return this.#newer.entry
  }

  unlink(): void {
    this.#newer.#older = this.#older
    this.#older.#newer = this.#newer
    this.#newer = this
    this.#older = this
  }

  /** Makes this the newest in the head's list. */
  moveTo(head: RingLink<Entry>): void {
    if (head.#older === this) return
    this.unlink()
    this.#newer = head
    this.#older = head.#older
    head.#older.#newer = this
    head.#older = this
  }
}
