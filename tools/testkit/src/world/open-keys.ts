// What a holder of KEKs can decrypt in weir.keys: the newest version of each record, as far as those KEKs permit.
// Independent of the services' memory, for tests that verify auth's writes, or attack.
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import {
  kekOf,
  parseKekFile,
  keyNameOfPart,
  keyVersionOf,
  SIGN_KEY_NAME,
  unwrapPart,
  unwrapByKek,
} from '@weir/fieldcrypt'

export type OpenedKeys = {
  /** Record keys of wrapping keys, with the KEKs that wrap them. */
  readonly wrappingKeys: ReadonlyMap<string, string>
  /**
   * For every key record and private key: the version of its wrapping key, and its content; undefined if it can't be
   * decrypted.
   */
  readonly parts: ReadonlyMap<string, { readonly keyVersion: number; readonly plain?: Buffer }>
}

type KeyRecord = { readonly key: Buffer | null; readonly value: Buffer | null }
/** A TopicReader, or an attacker with a stolen login. */
type KeyReader = { read(topic: string): Promise<readonly KeyRecord[]> }

export async function openKeys(reader: KeyReader, kekLines: string): Promise<OpenedKeys> {
  const records = new Map<string, Buffer>()
  for (const { key, value } of await reader.read('weir.keys')) {
    const name = key?.toString('utf8') ?? ''
    if (value === null) records.delete(name)
    else records.set(name, value)
  }
  const kek = parseKekFile(kekLines)
  const wrappingKeys = new Map<string, string>()
  const opened = new Map<string, KeyObject>()
  for (const [name, value] of records) {
    if (!name.startsWith('_ring/')) continue
    wrappingKeys.set(name, kekOf(name, value))
    const plain = await unwrapByKek(kek, name, value).catch(() => undefined)
    if (plain !== undefined) opened.set(name, createSecretKey(plain))
  }
  const parts = new Map<string, { keyVersion: number; plain?: Buffer }>()
  for (const [recordKey, value] of records) {
    if (recordKey.startsWith('_') && !isPrivateKey(recordKey)) continue
    const keyVersion = keyVersionOf(value)
    const wrappingKey = opened.get(`_ring/${keyNameOf(recordKey)}/${keyVersion}`)
    const plain = wrappingKey && unwrapPart({ wrappingKey, recordKey, value })
    parts.set(recordKey, { keyVersion, ...(plain === undefined ? {} : { plain }) })
  }
  return { wrappingKeys, parts }
}

const isPrivateKey = (recordKey: string): boolean => /^_(signing|receipt)\//.test(recordKey)

const keyNameOf = (recordKey: string): string =>
  isPrivateKey(recordKey)
    ? SIGN_KEY_NAME
    : keyNameOfPart(recordKey.slice(recordKey.lastIndexOf('/') + 1))
