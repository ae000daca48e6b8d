// An attacker with the KEK and a copy of all records of `weir.keys` on Kafka's disk, including replaced and uncommitted
// records. The attacker tries each key tree on an encrypted field.
import { createSecretKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { KeyObject } from 'node:crypto'
import {
  consentOf,
  createOpener,
  eraKeys,
  levelPart,
  parseKekFile,
  keyNameOfPart,
  keyVersionOf,
  suffixOfPart,
  termKeys,
  termOf,
  keyTimeOf,
  unwrapPart,
  unwrapByKek,
} from '@weir/fieldcrypt'
import { eventTimeOf } from '@weir/contracts'
import { createLogScan } from '@weir/kafka'
import type { Kafka, SourceRecord } from '@weir/kafka'

export type SealedField = {
  readonly record: SourceRecord
  readonly consentLevels: readonly number[]
  readonly level: number
  readonly path: string
  readonly text: string
}

export type Loot = {
  /** Returns the field's value, or undefined if no tree decrypts it. */
  open(field: SealedField): string | undefined
  /** The number of records with key trees. */
  readonly trees: number
}

const dayMs = 86_400_000

export async function steal(kafka: Kafka, kekFile: string): Promise<Loot> {
  const kek = parseKekFile(await readFile(kekFile, 'utf8'))
  const versions: (readonly [string, Buffer])[] = []
  const scan = createLogScan(kafka)
  await scan.scan('weir.keys', ({ key, value }) => {
    if (value !== null) versions.push([key, value])
  })
  await scan.close()

  const wrappingKeys = new Map<string, KeyObject>()
  for (const [key, value] of versions)
    if (key.startsWith('_ring/'))
      wrappingKeys.set(key, createSecretKey(await unwrapByKek(kek, key, value)))

  const opened = (recordKey: string, part: string): Buffer[] =>
    versions.flatMap(([key, value]) => {
      const wrappingKey =
        key === recordKey && wrappingKeys.get(`_ring/${keyNameOfPart(part)}/${keyVersionOf(value)}`)
      return wrappingKey ? [unwrapPart({ wrappingKey, recordKey, value })] : []
    })

  const treeKeys = [...new Set(versions.map(([key]) => key).filter((key) => /\/tree/.test(key)))]

  return {
    trees: versions.filter(([key]) => /\/tree/.test(key)).length,
    open({ record, consentLevels, level, path, text }) {
      const consent = consentOf(consentLevels)
      const timestampMs = eventTimeOf(record)
      const time = keyTimeOf(timestampMs, dayMs)
      const keyLink = record.headers['svc-key-link']
      if (keyLink === undefined) throw new Error('a record without a keyLink')
      for (const treeKey of treeKeys) {
        const [billingId, streamId = '', term, part = ''] = treeKey.split('/')
        if (term !== `t${termOf(time.era)}`) continue
        const prefix = `${billingId}/${streamId}/${time.era}/`
        for (const tree of opened(treeKey, part)) {
          const trees = [[suffixOfPart(part) ?? '', tree]] as const
          const keys = eraKeys(termKeys({ streamId, term: termOf(time.era), trees }), {
            era: time.era,
            label: opened(`${prefix}label`, 'label').at(-1),
            level: (number) => opened(prefix + levelPart(number), levelPart(number)).at(-1),
          })
          const value = tryOpen(() => {
            const opener = createOpener({ entriesMax: 10 })
            const person = opener.person(keys, keyLink, time)
            return person === 'unknown'
              ? undefined
              : opener.open(person, { consent, level, path }, text)
          })
          if (value?.kind === 'opened') return value.value
        }
      }
      return undefined
    },
  }
}

/** Returns undefined on an error, because another stream's keys don't verify the keyLink. */
function tryOpen<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
