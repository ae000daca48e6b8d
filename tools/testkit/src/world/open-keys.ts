// Decrypts the newest version of each record of weir.keys, as far as the given KEKs permit. Tests use this to verify
// auth's writes, or to attack, independently of the services' memory.
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
  /** The KEK of each wrapping key, by record key. */
  readonly wrappingKeys: ReadonlyMap<string, string>
  /**
   * The key records and private keys, by record key, with the version of the wrapping key. `plain` is undefined if the
   * record can't be decrypted.
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
