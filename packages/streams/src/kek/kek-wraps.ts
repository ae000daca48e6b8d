// Which KEK wraps which ring, for auth, which alone wraps. Rights to a KEK are rights to the rings under it, so a
// deployment that shall open only some levels is given only the KEKs of their rings.
//
//   KEK_WRAPS = item *( "," item )
//   item      = [ ring "=" ] provider ":" name      ; without a ring: all that aren't named, once
import { readFileSync } from 'node:fs'
import { kekNamesIn, levelOfPart, SIGN_RING } from '@weir/fieldcrypt'
import { AppError, csv, keyRule, withUnit } from '@weir/kit'
import type { z } from 'zod'
import type { KekSettings } from './kek-settings.ts'

export type KekName = { readonly provider: string; readonly name: string }
/** The KEK of a ring's name. */
export type KekOfRing = (ring: string) => KekName

const FORM = /^(?:([a-z0-9.]+)=)?(file|env|vault):([A-Za-z0-9][A-Za-z0-9._-]{0,62})$/

const isRing = (ring: string): boolean =>
  ['link', 'open', SIGN_RING].includes(ring) || levelOfPart(ring) !== undefined

type Item = KekName & { readonly ring: string | undefined }

function itemOf(text: string): Item | undefined {
  const [, ring, provider, name] = FORM.exec(text) ?? []
  if (provider === undefined || name === undefined) return undefined
  return ring === undefined || isRing(ring) ? { ring, provider, name } : undefined
}

const itemsOf = (texts: readonly string[]): Item[] =>
  texts.map(itemOf).filter((item) => item !== undefined)

/** Each ring once, and one KEK for all the others. */
function isWhole(texts: readonly string[]): boolean {
  const items = itemsOf(texts)
  const rings = new Set(items.map(({ ring }) => ring))
  return items.length === texts.length && rings.size === items.length && rings.has(undefined)
}

export const kekWrapsField = {
  KEK_WRAPS: withUnit(
    csv().refine(
      isWhole,
      'it must be one `provider:name` for all rings, and more of the form `ring=provider:name`, each ring once',
    ),
    'provider:name, ring=provider:name, …',
  )
    .optional()
    .describe(
      'which KEK wraps rings: `file:name`, `env:name` or `vault:name`, and others for single rings (`link`, `open`, `sign`, `level.0` …). Needed when there are several, or Vault',
    ),
}

export type WrapSettings = KekSettings & { readonly KEK_WRAPS?: readonly string[] | undefined }

/** What KEKs of lines there are. Vault's aren't known here: they are named. */
function namesAtHand({ KEK_FILE: file, KEK: lines }: Partial<WrapSettings>): KekName[] {
  const of = (provider: string, text: string | undefined): KekName[] =>
    text === undefined ? [] : kekNamesIn(text).map((name) => ({ provider, name }))
  return [...of('file', file && readFileSync(file, 'utf8')), ...of('env', lines)]
}

/** undefined while it isn't said and there isn't just one. */
function kekOfRingIn(settings: Partial<WrapSettings>): KekOfRing | undefined {
  if (settings.KEK_WRAPS !== undefined) {
    const items = itemsOf(settings.KEK_WRAPS)
    const rest = items.find(({ ring }) => ring === undefined)
    return rest && ((wanted) => items.find(({ ring }) => ring === wanted) ?? rest)
  }
  const [only, ...more] = settings.VAULT_ADDR === undefined ? namesAtHand(settings) : []
  return only === undefined || more.length > 0 ? undefined : () => only
}

/** @throws AppError `kek_unsaid` */
export function kekOfRing(settings: WrapSettings): KekOfRing {
  const found = kekOfRingIn(settings)
  if (found === undefined) throw new AppError('kek_unsaid', 'KEK_WRAPS must say which KEK wraps')
  return found
}

/** Files that can't be read are told by their own settings. */
function unlessUnreadable(look: () => boolean): boolean {
  try {
    return look()
  } catch {
    return true
  }
}

const isSaid = (settings: Partial<WrapSettings>): boolean =>
  unlessUnreadable(() => kekOfRingIn(settings) !== undefined)

const areThere = (settings: Partial<WrapSettings>): boolean =>
  unlessUnreadable(() => {
    const there = namesAtHand(settings)
    return itemsOf(settings.KEK_WRAPS ?? []).every(({ provider, name }) =>
      provider === 'vault'
        ? settings.VAULT_ADDR !== undefined
        : there.some((each) => each.provider === provider && each.name === name),
    )
  })

export const withWrapRules = <T extends z.ZodType<WrapSettings>>(fields: T): T =>
  fields
    .refine(isSaid, keyRule('KEK_WRAPS', 'there is not just one KEK, so it must say which wraps'))
    .refine(areThere, keyRule('KEK_WRAPS', 'it names a KEK that KEK_FILE, KEK or Vault has not'))
