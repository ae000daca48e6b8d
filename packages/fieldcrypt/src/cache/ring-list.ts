// A circular doubly linked list in the order of use. Its head contains no entry. The newest entry is on one side of the
// head, and the oldest on the other. A cache hit may move a link, so moving takes only a few assignments.
export class RingLink<Entry> {
  /** Undefined for a head. */
  entry: Entry | undefined
  #newer: RingLink<Entry> = this
  #older: RingLink<Entry> = this

  /** For a head: the least recently used entry; undefined if the list is empty. */
  get oldest(): Entry | undefined {
    return this.#newer.entry
  }

  unlink(): void {
    this.#newer.#older = this.#older
    this.#older.#newer = this.#newer
    this.#newer = this
    this.#older = this
  }

  /** Makes this link the newest in the head's list. */
  moveTo(head: RingLink<Entry>): void {
    if (head.#older === this) return
    this.unlink()
    this.#newer = head
    this.#older = head.#older
    head.#older.#newer = this
    head.#older = this
  }
}
