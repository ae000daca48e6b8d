import { consentOf, linksOf, prefixesOf, puncture, keyTimeOf, withTree } from '../../src/index.ts'
import type { EraKeys, FieldAt, KeyTime, Opener } from '../../src/index.ts'

export const DAY_MS = 86_400_000
export const NOW_MS = 1_635_416_584_627
export const TODAY = keyTimeOf(NOW_MS, DAY_MS)
export const TOMORROW = keyTimeOf(NOW_MS + DAY_MS, DAY_MS)
export const place = { stream: 0, time: TODAY }

export const fieldAt = (level: number, path: string, consent = [0, 1, 2, 3]): FieldAt => ({
  consent: consentOf(consent),
  level,
  path,
})

export function forget(keys: EraKeys, value: string, levels?: number[]): EraKeys {
  const prefixes = linksOf(keys, value).flatMap((link) => prefixesOf(link, levels))
  return withTree(keys, puncture(keys, prefixes).tree)
}

export type Sealed = {
  stream: number
  keyLink: Buffer
  time: KeyTime
  level: number
  path: string
  text: string
}

export function openWith(opener: Opener, keys: readonly EraKeys[], sealed: Sealed) {
  const own = keys[sealed.stream]
  const person = own && opener.person(own, sealed.keyLink, sealed.time)
  if (person === undefined || person === 'unknown') throw new Error('the label is at hand')
  return opener.open(person, fieldAt(sealed.level, sealed.path), sealed.text)
}
