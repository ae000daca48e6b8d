// An account's streams, outputs, contracts, purposes and usage (from auth), lag and previews (from output).
import type { Calls } from './calls.ts'
import { listOf, numberOf, numbersOf, objectOf, textOf } from './json.ts'
import type { Json } from './json.ts'
import type { Contract, Input, Kept, LevelType, Output, Purpose } from './account.ts'

export async function listInputs(calls: Calls): Promise<readonly Input[]> {
  const streams = listOf(await calls.auth('GET', '/v2/streams')).map(objectOf)
  const inputs = await Promise.all(
    streams.map(async (stream) => {
      const name = nameOf(stream)
      return inputOf(stream, await outputsIn(calls, name))
    }),
  )
  return inputs.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export async function outputsIn({ auth }: Calls, input: string): Promise<readonly Output[]> {
  return listOf(await auth('GET', `/v2/streams/${input}/outputs`))
    .map(objectOf)
    .map(outputOf)
}

const nameOf = (stream: Json): string => textOf(objectOf(stream['ref'])['name'])

function inputOf(stream: Json, outputs: readonly Output[]): Input {
  const limits = objectOf(stream['limits'])
  return {
    name: nameOf(stream),
    enabled: stream['enabled'] === true,
    topic: textOf(stream['topic']),
    partitions: numberOf(stream['partitions']),
    kept: keptOf(stream),
    rotationHours: numberOf(stream['rotationHours']),
    keyRetentionDays: numberOf(stream['keyRetentionDays']),
    eventRate: textOf(limits['eventRate']),
    eventCount: textOf(limits['eventCount']),
    erasuresLost: listOf(stream['erasuresLost'])
      .map(objectOf)
      .map(({ since, until }) => ({ since: textOf(since), until: textOf(until) })),
    outputs: outputs.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

function outputOf(output: Json): Output {
  const { decryptAt, keyMaxAgeSeconds } = output
  return {
    name: nameOf(output),
    input: textOf(output['linkedStream']),
    enabled: output['enabled'] === true,
    topic: textOf(output['topic']),
    kept: keptOf(output),
    levels: numbersOf(output['consentLevels']),
    tags: listOf(output['tags']).map(textOf),
    type: output['consentLevelType'] === 'GRANULAR' ? 'GRANULAR' : 'CUMULATIVE',
    rebuild: rebuildOf(output),
    keyMaxAgeSeconds: decryptAt === 'reader' ? numberOf(keyMaxAgeSeconds) : undefined,
  }
}

/** Returns `running` until the old events are deleted, then the time; empty without a rebuild. */
function rebuildOf({ rebuild }: Json): string {
  return rebuild === undefined ? '' : textOf(objectOf(rebuild)['doneAt']) || 'running'
}

function keptOf({ retentionHours }: Json): Kept {
  return typeof retentionHours === 'number' ? retentionHours : 'broker'
}

export async function listContracts({ auth }: Calls): Promise<readonly Contract[]> {
  const contracts = listOf(await auth('GET', '/v2/contracts'))
    .map(objectOf)
    .map(contractOf)
  return contracts.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function contractOf(contract: Json): Contract {
  const schema = objectOf(contract['schema'])
  const levels = Object.entries(objectOf(contract['pii_fields']))
  return {
    id: textOf(contract['id']),
    status: textOf(contract['status']),
    schema: objectOf(schema['definition']),
    subject: textOf(schema['schema_registry_ref']),
    validations: listOf(contract['validations'])
      .map(objectOf)
      .map(({ field, value }) => ({ field: textOf(field), pattern: textOf(value) })),
    keyField: textOf(contract['key_field']),
    levels: new Map(levels.map(([path, level]) => [path, numberOf(level)])),
    subjectField: textOf(contract['data_subject_field']),
  }
}

const purposesPath = '/v2/account/purposes'

export const listPurposes = async ({ auth }: Calls): Promise<readonly Purpose[]> =>
  purposesIn(await auth('GET', purposesPath))

/** Replaces all purposes of the account. */
export const savePurposes = async (
  { auth }: Calls,
  purposes: readonly Purpose[],
): Promise<readonly Purpose[]> => purposesIn(await auth('PUT', purposesPath, purposes))

const purposesIn = (answer: unknown): readonly Purpose[] =>
  listOf(answer)
    .map(objectOf)
    .map(({ name, title, level }) => ({
      name: textOf(name),
      title: textOf(title),
      level: numberOf(level),
    }))

export type Lag = {
  readonly lag: number
  readonly dead: number | undefined
  /** Offsets, summed over all partitions. */
  readonly next: number
  readonly end: number
}

export async function lagOf({ output }: Calls, { input, name }: Output): Promise<Lag> {
  const answer = objectOf(await output('GET', `/v2/streams/${input}/outputs/${name}/lag`))
  const partitions = listOf(answer['partitions']).map(objectOf)
  const sum = (member: string): number =>
    partitions.reduce((total, partition) => total + numberOf(partition[member]), 0)
  const { dead } = answer
  return {
    lag: numberOf(answer['lag']),
    dead: typeof dead === 'number' ? dead : undefined,
    next: sum('next'),
    end: sum('end'),
  }
}

export type Preview = {
  readonly events: number
  readonly passed: number
  readonly filtered: number
  readonly failed: number
  readonly fields: readonly {
    readonly contract: string
    readonly path: string
    readonly level: number
    readonly opened: number
    readonly sealed: number
  }[]
  readonly samples: readonly Json[]
}

export async function previewOf(
  { output }: Calls,
  input: string,
  wanted: { levels: readonly number[]; type: LevelType },
): Promise<Preview> {
  const body = { consentLevels: wanted.levels, consentLevelType: wanted.type }
  const answer = objectOf(await output('POST', `/v2/streams/${input}/outputs/preview`, body))
  return {
    events: numberOf(answer['events']),
    passed: numberOf(answer['passed']),
    filtered: numberOf(answer['filtered']),
    failed: numberOf(answer['failed']),
    fields: listOf(answer['fields'])
      .map(objectOf)
      .map((field) => ({
        contract: textOf(field['contract']),
        path: textOf(field['path']),
        level: numberOf(field['level']),
        opened: numberOf(field['opened']),
        sealed: numberOf(field['sealed']),
      })),
    samples: listOf(answer['samples']).map(objectOf),
  }
}

export const usageSteps = ['1m', '15m', '1h', '1d'] as const
export type UsageStep = (typeof usageSteps)[number]

export type UsagePiece = {
  readonly from: string
  readonly events: number
  readonly bytes: number
  /** The number of refusals by error code. */
  readonly refused: ReadonlyMap<string, number>
}

export async function usageOf(
  { auth }: Calls,
  input: string,
  by: UsageStep,
): Promise<readonly UsagePiece[]> {
  const answer = objectOf(await auth('GET', `/v2/streams/${input}/usage?by=${by}`))
  return listOf(answer['usage'])
    .map(objectOf)
    .map((piece) => ({
      from: textOf(piece['from']),
      events: numberOf(piece['events']),
      bytes: numberOf(piece['bytes']),
      refused: new Map(
        Object.entries(objectOf(piece['refused'])).map(([code, count]) => [code, numberOf(count)]),
      ),
    }))
}
