// The streams of a run as its model knows them: which there are, from where on a derived one has to hold
// events, and what retention has taken away before it could.

export type InputStream = {
  readonly name: string
  readonly topic: string
  readonly partitions: number
  readonly rotationHours: number
}

export type Levels = {
  readonly type: 'CUMULATIVE' | 'GRANULAR'
  readonly levels: readonly number[]
}

/** Offsets of one input partition that were gone before they were derived; `to` is not among them. */
export type Gap = {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
  /** So many of them have to be reported as lost. */
  readonly countedAtLeast: bigint
}

/** A derived stream from its making to its deletion; made again under its name it is another one. */
export type DerivedStream = {
  readonly name: string
  readonly topic: string
  readonly groupId: string
  readonly input: InputStream
  readonly levels: Levels
  /** By partition: it starts at one of the offsets from `earliest` to `latest`. */
  readonly start: readonly { readonly earliest: bigint; readonly latest: bigint }[]
  readonly gaps: Gap[]
}

export type Streams = {
  readonly inputs: readonly InputStream[]
  derived(): readonly DerivedStream[]
  derivedFrom(input: InputStream): readonly DerivedStream[]
  put(derived: DerivedStream): void
  drop(name: string): void
}

export function createStreams(inputs: readonly InputStream[]): Streams {
  const byName = new Map<string, DerivedStream>()
  return {
    inputs,
    derived: () => [...byName.values()],
    derivedFrom: (input) => [...byName.values()].filter((one) => one.input === input),
    put: (derived) => void byName.set(derived.name, derived),
    drop: (name) => void byName.delete(name),
  }
}

/** Spec Events 4 and 5, read once more: which events a derived stream holds, and what it opens of them. */
export const passes = ({ levels }: Levels, consentLevels: readonly number[]): boolean =>
  levels.every((level) => consentLevels.includes(level))

export function opens({ type, levels }: Levels, level: number): boolean {
  if (type === 'GRANULAR') return levels.includes(level)
  return levels.some((own) => level <= own)
}
