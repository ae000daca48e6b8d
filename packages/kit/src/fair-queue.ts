/** What waits for the same worker: in order for each party, and parties take turns, however much one of them has there. */
export type FairQueue<Item> = {
  push(party: string, item: Item): void
  /** The next, which then waits no more. */
  shift(): Item | undefined
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** By party, in the order in which they have their turns. */
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
