// Finds the keys of an era in decrypted records of weir.keys, and whether a guess is the person of a record.
import { eraKeys, levelPart, linksOf, termKeys, termOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'

import type { OpenedKeys } from '../../../src/world/open-keys.ts'

export function keysOf({ parts }: OpenedKeys, era: number): EraKeys {
  const label = [...parts.keys()].find((key) => key.endsWith(`/${era}/label`)) ?? ''
  const [billingId, streamId = ''] = label.split('/')
  const part = (name: string) => parts.get(`${billingId}/${streamId}/${name}`)?.plain
  const term = termOf(era)
  const trees = [['', () => part(`t${term}/tree`)]] as const
  return eraKeys(termKeys({ streamId, term, link: part(`t${term}/link`), trees }), {
    era,
    label: part(`${era}/label`),
    level: (level) => part(`${era}/${levelPart(level)}`),
  })
}

/** Returns whether the guess leads to the link in the record's keyLink; false without the key `link`. */
export function isPerson(era: EraKeys, keyLink: Buffer, guess: string): boolean {
  const held = era.label?.decrypt(keyLink).subarray(0, 8)
  if (held === undefined || era.link === undefined) return false
  return linksOf(era, guess).some((link) => Buffer.from(link).equals(Buffer.from(held)))
}
