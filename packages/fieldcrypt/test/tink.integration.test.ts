// Google's Tink decrypts our encrypted texts, with a keyset of one key: that of a person, level, epoch and consent. So
// an archive can be read without Weir (docs/keys.md, An encrypted field).
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { linkDigits, openKeyLink, pathOf, sivTail } from '../src/derivation.ts'
import { createSealer, keyTimeOf } from '../src/index.ts'
import type { EraKeys, KeyTime } from '../src/index.ts'
import { fieldAt } from './support/cached.ts'
import { madeKeys } from './support/made-keys.ts'

const python = join(import.meta.dirname, '../../../.weir/venv/bin/python')
const script = join(import.meta.dirname, 'open_with_tink.py')
const time = keyTimeOf(1_635_416_584_627, 86_400_000)

/** Creates a keyset of one key. This needs only the era's keys and a record's keyLink. */
function keysetOf(keys: EraKeys, keyLink: Buffer, of: { level: number; time: KeyTime }): object {
  const levelKey = keys.levelKey(of.level)
  if (keys.label === undefined || levelKey === undefined) throw new Error('a part is missing')
  const link = openKeyLink(keys.label, keyLink, of.time.epoch)
  const path = pathOf(linkDigits(link), of.level)
  const stored = keys.tree.find(path)
  if (typeof stored === 'string') throw new Error(stored)
  const { consent } = fieldAt(of.level, '')
  const sivKey = levelKey.sivKey({
    node: stored.node,
    digits: path.slice(stored.digits),
    tail: sivTail({ epoch: of.time.epoch, consent }),
  })
  const keyId = keyLink.readUInt32BE(0)
  // The Protobuf message AesSivKey: field 2 has 64 bytes.
  const value = Buffer.concat([Buffer.of(0x12, sivKey.length), sivKey]).toString('base64')
  const typeUrl = 'type.googleapis.com/google.crypto.tink.AesSivKey'
  const keyData = { typeUrl, value, keyMaterialType: 'SYMMETRIC' }
  const key = { keyData, status: 'ENABLED', keyId, outputPrefixType: 'TINK' }
  return { primaryKeyId: keyId, key: [key] }
}

type Field = { readonly path: string; readonly text: string }

function openWithTink(keyset: object, fields: readonly Field[]): unknown {
  const input = JSON.stringify({ keyset, fields })
  return JSON.parse(execFileSync(python, [script], { input, encoding: 'utf8' }))
}

test('Tink opens fields of a person with the key of their level and epoch, and nothing else with it', () => {
  const keys = madeKeys('tink', time.era)
  const sealer = createSealer({ entriesMax: 10 })
  const seal = (person: string, level: number, path: string, value: string): Field => ({
    path,
    text: sealer.seal(sealer.person(keys, person, time), fieldAt(level, path), value),
  })
  const mine = [
    seal('ada', 1, 'customer/id', 'customer-00042'),
    seal('ada', 1, 'email', 'ada@example.org, «ünïcødé» 🗝'),
    seal('ada', 1, 'empty', ''),
  ]
  const [first = { path: '', text: '' }] = mine
  const others = [
    seal('ada', 2, 'email', 'of another level'),
    seal('grace', 1, 'email', 'of another person'),
    { ...first, path: 'email' },
  ]
  const { keyLink } = sealer.person(keys, 'ada', time)
  expect(openWithTink(keysetOf(keys, keyLink, { level: 1, time }), [...mine, ...others])).toEqual([
    'customer-00042',
    'ada@example.org, «ünïcødé» 🗝',
    '',
    null,
    null,
    null,
  ])
})
