// Rendezvous hashing: the owner of a key is the replica whose id has the highest hash together with the key. All
// replicas compute the same owner without messages. When a replica joins or leaves, only the keys that it gets or had
// change their owner. During an upgrade replicas of two releases run at the same time, so no release may change the
// hash.

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193

/** The returned function returns undefined if there are no replicas. The order of the ids doesn't matter. */
export function createRendezvous(ids: readonly string[]): (key: string) => string | undefined {
  // Sorted, so that all replicas choose the same id if two have the same hash.
  const replicas = ids.toSorted().map((id) => ({ id, hash: hash(id) }))
  return (key) => {
    const keyHash = hash(key)
    let owner: string | undefined
    let highest = -1
    for (const replica of replicas) {
      const weight = mix(keyHash ^ replica.hash)
      if (weight <= highest) continue
      owner = replica.id
      highest = weight
    }
    return owner
  }
}

/** FNV-1a of 32 bits over UTF-16 units, then mixed, because FNV-1a alone distributes the last characters badly. */
function hash(text: string): number {
  let state = fnvOffset | 0
  for (let at = 0; at < text.length; at += 1)
    state = Math.imul(state ^ text.charCodeAt(at), fnvPrime)
  return mix(state)
}

/** The last step of MurmurHash3: each bit of the input changes about half of the result's bits. */
function mix(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
