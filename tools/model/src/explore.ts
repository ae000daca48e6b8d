// Searches the states of a model for violations: all states, or the states of random walks.

export type ModelStep<State> = { readonly name: string; readonly to: State }
export type Model<State> = {
  readonly start: State
  steps(state: State): readonly ModelStep<State>[]
  /** Returns what is wrong with the state, or undefined. */
  wrong(state: State): string | undefined
}

export type Explored = {
  readonly states: number
  /** The first violation, with the steps that lead to it. An exhaustive search finds the fewest steps. */
  readonly violation: { readonly what: string; readonly steps: readonly string[] } | undefined
}

type Reached<State> = {
  readonly state: State
  readonly from: Reached<State> | undefined
  readonly name: string
}

/** Visits each state once, nearest first. Throws if there are more than `statesMax` states, which proves nothing. */
export function exploreAll<State>(model: Model<State>, statesMax: number): Explored {
  const seen = new Set([JSON.stringify(model.start)])
  let reached: Reached<State>[] = [{ state: model.start, from: undefined, name: '' }]
  while (reached.length > 0) {
    const next: Reached<State>[] = []
    for (const from of reached)
      for (const { name, to } of model.steps(from.state)) {
        const id = JSON.stringify(to)
        if (seen.has(id)) continue
        seen.add(id)
        const one = { state: to, from, name }
        const what = model.wrong(to)
        if (what !== undefined) return { states: seen.size, violation: { what, steps: path(one) } }
        next.push(one)
      }
    if (seen.size > statesMax) throw new RangeError(`there are more than ${statesMax} states`)
    reached = next
  }
  return { states: seen.size, violation: undefined }
}

/** Walks at random until no step is possible. The same seed gives the same walks. */
export function exploreSome<State>(
  model: Model<State>,
  { walks, seed }: { readonly walks: number; readonly seed: number },
): Explored {
  const random = numbersFrom(seed)
  let states = 0
  for (let walk = 0; walk < walks; walk += 1) {
    let one: Reached<State> = { state: model.start, from: undefined, name: '' }
    for (;;) {
      const steps = model.steps(one.state)
      const step = steps[Math.floor(random() * steps.length)]
      if (step === undefined) break
      one = { state: step.to, from: one, name: step.name }
      states += 1
      const what = model.wrong(one.state)
      if (what !== undefined) return { states, violation: { what, steps: path(one) } }
    }
  }
  return { states, violation: undefined }
}

function path<State>(last: Reached<State>): string[] {
  const names: string[] = []
  for (let one: Reached<State> | undefined = last; one?.from !== undefined; one = one.from)
    names.push(one.name)
  return names.reverse()
}

/** mulberry32 */
export function numbersFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
