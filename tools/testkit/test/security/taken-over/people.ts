// What decrypted records of weir.keys reveal about people: the keys of an era, and whether a guess is the person of a
// record.
import { eraKeys, levelPart, linksOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'

import type { OpenedKeys } from '../../../src/world/open-keys.ts'

export function keysOf({ parts }: OpenedKeys, era: number): EraKeys {
  const prefix = [...parts.keys()].find((key) => key.endsWith(`/${era}/label`))?.slice(0, -5) ?? ''
  const part = (name: string) => parts.get(prefix + name)?.plain
  return eraKeys({
    streamId: prefix.split('/')[1] ?? '',
    era,
    link: part('link'),
    label: part('label'),
    trees: [['', () => part('tree')]],
    level: (level) => part(levelPart(level)),
  })
}

/** Whether the guess leads to the link in the record's keyLink. Needs the key `link`. */
export function isPerson(era: EraKeys, keyLink: Buffer, guess: string): boolean {
  const held = era.label?.decrypt(keyLink).subarray(0, 8)
  if (held === undefined || era.link === undefined) return false
  return linksOf(era, guess).some((link) => Buffer.from(link).equals(Buffer.from(held)))
}
