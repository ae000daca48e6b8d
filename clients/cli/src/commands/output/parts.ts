// What the commands of `weir output` have in common: the name of an output, its path, and valid combinations of levels.
import { misuse } from '../../errors.ts'

export const inputArgument = ['<input>', 'the input stream'] as const
export const nameArgument = ['<name>', 'the output'] as const

export const outputPathOf = (input: string, ...below: readonly string[]): readonly string[] => [
  'streams',
  input,
  'outputs',
  ...below,
]

export type LevelOptions = {
  readonly level: readonly number[]
  readonly type: 'CUMULATIVE' | 'GRANULAR'
}

export function requireOneLevelIfCumulative({ type, level }: LevelOptions): void {
  if (type === 'GRANULAR' || level.length === 1) return
  throw misuse(
    'a CUMULATIVE output has one level',
    'It also decrypts the levels below. For a set of levels add --type GRANULAR.',
  )
}

export const retention =
  'how long Kafka keeps the events and the dead-lettered records, in hours; "broker" for the setting of Kafka'
export const keyMaxAge =
  'with --decrypt-at reader: how long readers may use a key, and so how long an erasure waits, in seconds'
