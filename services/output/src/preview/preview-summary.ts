// Summarises a preview: how many records pass, which personal fields are decrypted, and a few sample events as the
// output would contain them. Decodes records as consumers would, and keeps only the samples.
import type { Event, EventFields } from '@weir/contracts'
import { count, level, listOf, string } from '@weir/http-api'
import { unframe } from '@weir/schema-registry'
import type { OutRecord } from '@weir/kafka'
import { z } from 'zod'
import { undecryptablePathsOf } from '../derive/derive.ts'
import type { KnownContract } from '../derive/known-contracts.ts'
import type { Levels } from '../derive/levels.ts'
import { isDead } from '../derive/transform.ts'
import type { Derived } from '../derive/transform.ts'

const decryptions = { opened: count, sealed: count }
const field = z.strictObject({ contract: string, path: string, level, ...decryptions })
type Field = z.infer<typeof field>

export const previewAnswer = z.strictObject({
  events: count,
  passed: count,
  filtered: count,
  failed: count,
  errors: z.record(string, count),
  fields: listOf(field),
  samples: listOf(z.unknown().meta({ type: 'object' })),
  samplesNeed: z
    .literal('owner')
    .describe('present if the API key may not see samples: the role that may')
    .optional(),
})
export type PreviewAnswer = z.infer<typeof previewAnswer>

const sampleLengthMax = 65_536

export type SummaryOptions = {
  readonly contractNamed: (id: string) => KnownContract | undefined
  readonly levels: Levels
  readonly samplesMax: number
}

export function createSummary({ contractNamed, levels, samplesMax }: SummaryOptions) {
  const counts = { events: 0, passed: 0, filtered: 0, failed: 0 }
  const errors: Record<string, number> = {}
  const fields = new Map<string, Field>()
  const samples: unknown[] = []

  function addField(contract: string, path: string, level: number): Field {
    const key = `${contract}\n${path}`
    const field = fields.get(key) ?? { contract, path, level, opened: 0, sealed: 0 }
    fields.set(key, field)
    return field
  }

  function addPassed(record: OutRecord): void {
    const id = record.headers?.['svc-schema-id']?.toString() ?? ''
    const known = contractNamed(id)
    if (known === undefined || !Buffer.isBuffer(record.value)) return
    const { contract } = known
    const event = contract.decode(unframe(record.value).payload)
    const stillSealed = undecryptablePathsOf(record)
    for (const [path, level] of levelsByPath(contract, event)) {
      const isOpen = levels.open(level) && !stillSealed.includes(path)
      addField(id, path, level)[isOpen ? 'opened' : 'sealed'] += 1
    }
    if (samples.length < samplesMax) samples.push(...sampleOf(contract.toPlain(event)))
  }

  return {
    add(derived: Derived): void {
      counts.events += 1
      if (derived === undefined) counts.filtered += 1
      else if (isDead(derived)) {
        counts.failed += 1
        errors[derived.dead] = (errors[derived.dead] ?? 0) + 1
      } else {
        counts.passed += 1
        addPassed(derived)
      }
    },
    result: () => ({ ...counts, errors, fields: [...fields.values()].sort(byName), samples }),
  }
}

const byName = (a: Field, b: Field): number =>
  `${a.contract}\n${a.path}` < `${b.contract}\n${b.path}` ? -1 : 1

/** Returns the level of each personal field. All elements of a list have the same path. */
function levelsByPath(contract: Pick<EventFields, 'mapPii'>, event: Event): Map<string, number> {
  const levels = new Map<string, number>()
  contract.mapPii(event, (text, path, level) => {
    if (!levels.has(path)) levels.set(path, level)
    return text
  })
  return levels
}

const sampleOf = (plain: unknown): unknown[] =>
  JSON.stringify(plain).length <= sampleLengthMax ? [plain] : []
