// Records of an input topic in ingest's format, encrypted with the test's own keys. They allow tests of derivation
// without Kafka, with missing key records, erased people and changed bytes.
import { randomBytes } from 'node:crypto'
import {
  addWithdrawn,
  consentOf,
  createSealer,
  eraKeys,
  keyTimeOf,
  linksOf,
  makeEraParts,
  prefixesOf,
  puncture,
  termKeys,
  termOf,
  withdrawnPartOf,
} from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { consentLevelsOf } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import { frame } from '@weir/schema-registry'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { asObject, compiledExample, exampleEvent, plainEvent } from '@weir/testkit'
import type { ExampleContract } from '@weir/testkit'
import type { InputStream } from '@weir/control-state'

export const registryId = 7
export const timestampMs = Date.UTC(2026, 10, 20, 12)
const rotationMs = 24 * 3_600_000
const time = keyTimeOf(timestampMs, rotationMs)

/** Returns the keys of one era, and variants with a missing key record, or with all people erased. */
export function keysOfEra({ streamId }: Pick<InputStream, 'streamId'>) {
  const parts = makeEraParts([0, 1, 2, 3], randomBytes)
  const asked: number[] = []
  type Parts = Partial<Parameters<typeof termKeys>[0] & Parameters<typeof eraKeys>[1]>
  const make = (more: Parts = {}): EraKeys => {
    const made = {
      streamId,
      term: termOf(time.era),
      era: time.era,
      trees: [['', copy(parts.get('tree'))]] as const,
      link: copy(parts.get('link')),
      label: copy(parts.get('label')),
      level(level: number) {
        asked.push(level)
        return copy(parts.get(`level.${level}`))
      },
      ...more,
    }
    return eraKeys(termKeys(made), made)
  }
  return {
    whole: make(),
    withoutLabel: make({ label: undefined }),
    withoutTree: make({ trees: [] }),
    withoutLevels: make({ level: () => undefined }),
    /** An existing tree without any person. */
    erased: make({ trees: [['', Buffer.alloc(0)]] }),
    /** Keys from which people withdraw levels, as in auth. */
    changing() {
      let now = make()
      const withdrawn = new Map<string, Buffer>()
      return {
        now: () => now,
        withdraw(keyFieldValue: string, levels: readonly number[]): void {
          const links = linksOf(now, keyFieldValue)
          const { tree } = puncture(
            now,
            links.flatMap((link) => prefixesOf(link, levels)),
          )
          for (const link of links) {
            const name = withdrawnPartOf(link)
            withdrawn.set(name, addWithdrawn(withdrawn.get(name), [{ link, levels }]))
          }
          const changed = new Map([...withdrawn].map(([name, part]) => [name, () => part]))
          now = { ...make({ withdrawn: changed }), tree }
        },
      }
    },
    /** The records of withdrawn levels can't be read. */
    withoutWithdrawn: make({
      withdrawn: new Map(
        Array.from('0123456789abcdef', (d) => [`withdrawn.${d}`, () => undefined]),
      ),
    }),
    /** The same keys, and a list of the requested levels. */
    watched() {
      asked.length = 0
      return { keys: make(), asked }
    },
  }
}

const copy = (bytes: Buffer | undefined): Buffer => Buffer.from(bytes ?? Buffer.alloc(0))

export type Sealed = { contract: Contract; record: SourceRecord; sent: Record<string, unknown> }

/** Encrypts an event in Avro JSON as ingest does. */
function seal(contract: Contract, sent: object, keys: EraKeys): Sealed {
  const event = contract.readJson(Buffer.from(JSON.stringify(sent)))
  const sealer = createSealer({ entriesMax: 100 })
  const person = sealer.person(keys, contract.keyOf(event) ?? '', time)
  const plain = asObject(contract.toPlain(event))
  const consent = consentOf(consentLevelsOf(event))
  contract.mapPii(event, (text, path, level) => sealer.seal(person, { consent, level, path }, text))
  contract.stamp(event, {
    schemaId: contract.id,
    nonce: 42,
    timestampMs,
    keyLinkUuid: person.uuid,
    keyLinkInt: person.int,
    billingId: 'acme',
  })
  const record: SourceRecord = {
    partition: 0,
    offset: 5n,
    timestampMs,
    key: Buffer.from(person.uuid),
    value: frame(registryId, contract.encode(event)),
    headers: {
      'svc-schema-id': Buffer.from(contract.id),
      'svc-key-link': Buffer.from(person.keyLink),
    },
  }
  return { contract, record, sent: plain }
}

export async function sealExample(
  name: ExampleContract,
  keys: EraKeys,
  more: object = {},
): Promise<Sealed> {
  return seal(await compiledExample(name), { ...(await exampleEvent(name)), ...more }, keys)
}

/** Returns the event of a derived record as plain JSON. */
export function eventOf(contract: Contract, record: OutRecord | undefined) {
  if (!Buffer.isBuffer(record?.value)) throw new Error('there is no derived record')
  const { value, key } = record
  return plainEvent(contract, {
    partition: 0,
    offset: 0n,
    timestampMs,
    key: Buffer.from(key ?? ''),
    value,
    headers: {},
  })
}
