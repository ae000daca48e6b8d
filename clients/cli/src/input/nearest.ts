// Finds the name that a user probably meant.

/**
 * Returns the stream whose topic was typed. Otherwise returns the nearest name, if at most about a third of its letters
 * differ.
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const ofTopic = names.find((name) => typed.endsWith(`.${name}`))
  if (ofTopic !== undefined) return ofTopic
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(typed, name) }))
    .filter(
      ({ name, distance }) => distance < name.length && distance <= Math.ceil(name.length / 3),
    )
    .toSorted((a, b) => a.distance - b.distance || b.name.length - a.name.length)
  return best?.name
}

/** Returns the Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(b).entries())
      next.push(
        Math.min(
          (row[j] ?? 0) + Number(letter !== other),
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}

export const didYouMean = (typed: string, names: readonly string[]): string => {
  const name = nearest(typed, names)
  return name === undefined ? '' : `; did you mean ${name}?`
}
