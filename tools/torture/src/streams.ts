// The streams of a run, as the checks expect them: which streams exist, from which offset a derived stream must contain
// events, and what retention removed before it was derived.

export type TestInput = {
  readonly name: string
  readonly topic: string
  readonly partitions: number
  readonly rotationHours: number
}

export type OutputLevels = {
  readonly type: 'CUMULATIVE' | 'GRANULAR'
  readonly levels: readonly number[]
  /** If set, the topic contains no decrypted value. */
  readonly decryptAt?: 'reader'
}

/** Offsets of one input partition that were removed before they were derived; `to` is exclusive. */
export type Gap = {
  readonly partition: number
  readonly from: bigint
  readonly to: bigint
  /** At least this many of the offsets must be reported as lost. */
  readonly countedAtLeast: bigint
}

/** A derived stream from its creation to its deletion. Its successor of the same name is a separate object. */
export type TestOutput = {
  readonly name: string
  readonly topic: string
  readonly groupId: string
  readonly input: TestInput
  readonly levels: OutputLevels
  /** By partition: the stream starts at an offset from `earliest` to `latest`. */
  readonly start: readonly { readonly earliest: bigint; readonly latest: bigint }[]
  readonly gaps: Gap[]
}

export type TortureStreams = {
  readonly inputs: readonly TestInput[]
  derived(): readonly TestOutput[]
  derivedFrom(input: TestInput): readonly TestOutput[]
  put(derived: TestOutput): void
  drop(name: string): void
}

export function createStreams(inputs: readonly TestInput[]): TortureStreams {
  const byName = new Map<string, TestOutput>()
  return {
    inputs,
    derived: () => [...byName.values()],
    derivedFrom: (input) => [...byName.values()].filter((one) => one.input === input),
    put: (derived) => void byName.set(derived.name, derived),
    drop: (name) => void byName.delete(name),
  }
}

/**
 * Returns whether a derived stream contains an event with this consent. With `opens`, a second implementation of spec
 * Events 4 and 5.
 */
export const passes = ({ levels }: OutputLevels, consentLevels: readonly number[]): boolean =>
  levels.every((level) => consentLevels.includes(level))

export const opensInTopic = (levels: OutputLevels, level: number): boolean =>
  levels.decryptAt !== 'reader' && opens(levels, level)

/** Returns whether the output's readers may see fields of this level. */
export function opens({ type, levels }: OutputLevels, level: number): boolean {
  if (type === 'GRANULAR') return levels.includes(level)
  return levels.some((own) => level <= own)
}
