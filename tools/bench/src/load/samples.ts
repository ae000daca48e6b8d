// Stores tens of thousands of numbers per second without objects for the garbage collector.

export type Samples = { add(value: number): void; count(): number; sorted(): Float64Array }

const pageLength = 65_536

export function createSamples(): Samples {
  let page = new Float64Array(pageLength)
  const pages = [page]
  let at = 0
  const count = (): number => (pages.length - 1) * pageLength + at
  return {
    add(value) {
      if (at === pageLength) {
        page = new Float64Array(pageLength)
        pages.push(page)
        at = 0
      }
      page[at++] = value
    },
    count,
    sorted() {
      const all = new Float64Array(count())
      for (const [number, each] of pages.entries())
        all.set(each.subarray(0, count() - number * pageLength), number * pageLength)
      return all.sort()
    },
  }
}
