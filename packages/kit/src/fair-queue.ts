/** A queue in which parties take turns, however many items each party has. The items of one party keep their order. */
export type FairQueue<Item> = {
  push(party: string, item: Item): void
  /** Removes and returns the next item, or undefined. */
  shift(): Item | undefined
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** The waiting items by party, in the order of their turns. */
  const waiting = new Map<string, Item[]>()
  let lastServed: string | undefined
  const nextParty = (): string | undefined => {
    const [first, second] = waiting.keys()
    return first === lastServed ? (second ?? first) : first
  }
  return {
    push(party, item) {
      const ofParty = waiting.get(party)
      if (ofParty === undefined) waiting.set(party, [item])
      else ofParty.push(item)
    },
    shift() {
      const party = nextParty()
      if (party === undefined) return undefined
      const items = waiting.get(party) ?? []
      const item = items.shift()
      waiting.delete(party)
      if (items.length > 0) waiting.set(party, items)
      lastServed = party
      return item
    },
  }
}
