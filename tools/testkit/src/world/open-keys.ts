// What whoever has KEKs and reads weir.keys finds in it: the newest version of each record, opened as far as those
// KEKs go. Independent of what services keep in memory; for tests that look over auth's shoulder, or attack.
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import {
  kekOf,
  parseKekFile,
  ringOfPart,
  ringVersionOf,
  SIGN_RING,
  unwrapPart,
  unwrapRing,
} from '@weir/fieldcrypt'

export type OpenedKeys = {
  /** Record keys of rings and the KEKs that wrap them. */
  readonly rings: ReadonlyMap<string, string>
  /** Of every part and private key: the version of its ring, and what it holds, undefined where that can't be had. */
  readonly parts: ReadonlyMap<string, { readonly ringVersion: number; readonly plain?: Buffer }>
}

type KeyRecord = { readonly key: Buffer | null; readonly value: Buffer | null }
/** A TopicReader, or somebody who reads with a login that he has stolen. */
type KeyReader = { read(topic: string): Promise<readonly KeyRecord[]> }

export async function openKeys(reader: KeyReader, kekLines: string): Promise<OpenedKeys> {
  const records = new Map<string, Buffer>()
  for (const { key, value } of await reader.read('weir.keys')) {
    const name = key?.toString('utf8') ?? ''
    if (value === null) records.delete(name)
    else records.set(name, value)
  }
  const kek = parseKekFile(kekLines)
  const rings = new Map<string, string>()
  const opened = new Map<string, KeyObject>()
  for (const [name, value] of records) {
    if (!name.startsWith('_ring/')) continue
    rings.set(name, kekOf(name, value))
    const plain = await unwrapRing(kek, name, value).catch(() => undefined)
    if (plain !== undefined) opened.set(name, createSecretKey(plain))
  }
  const parts = new Map<string, { ringVersion: number; plain?: Buffer }>()
  for (const [recordKey, value] of records) {
    if (recordKey.startsWith('_') && !isPrivateKey(recordKey)) continue
    const ringVersion = ringVersionOf(value)
    const ringKey = opened.get(`_ring/${ringOf(recordKey)}/${ringVersion}`)
    const plain = ringKey && unwrapPart({ ringKey, recordKey, value })
    parts.set(recordKey, { ringVersion, ...(plain === undefined ? {} : { plain }) })
  }
  return { rings, parts }
}

const isPrivateKey = (recordKey: string): boolean => /^_(signing|receipt)\//.test(recordKey)

const ringOf = (recordKey: string): string =>
  isPrivateKey(recordKey) ? SIGN_RING : ringOfPart(recordKey.slice(recordKey.lastIndexOf('/') + 1))
