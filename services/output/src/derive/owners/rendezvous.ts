// Which of several replicas owns something: the one whose id has the highest hash together with the key. All replicas
// find the same owner without asking each other, and one replica more or less moves only what it gets or had. During an
// upgrade replicas of two releases run side by side, so no release may change the hash.

const fnvOffset = 0x811c9dc5
const fnvPrime = 0x01000193

/** The owner of a key; undefined if there is no replica. The order of the ids doesn't matter. */
export function createRendezvous(ids: readonly string[]): (key: string) => string | undefined {
  // Sorted, so that the same id wins everywhere if two have the same weight.
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

/** FNV-1a of 32 bits over UTF-16 units, mixed: FNV-1a alone spreads the last characters badly. */
function hash(text: string): number {
  let state = fnvOffset | 0
  for (let at = 0; at < text.length; at += 1)
    state = Math.imul(state ^ text.charCodeAt(at), fnvPrime)
  return mix(state)
}

/** The last step of MurmurHash3: each bit changes about half of the others. */
function mix(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
