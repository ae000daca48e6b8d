// Decides which KEK wraps which wrapping key. Only auth wraps. A service with a KEK can unwrap all wrapping keys under
// this KEK. So there are four KEKs, and each service gets only those that it needs, unless the operator allows one KEK.
//
//   KEK_WRAPS = item *( "," item )
//   item      = [ key "=" ] provider ":" name
//   key       = "sign" / "link" / "open" / "levels" / "level." 1*3DIGIT   ; levels: all levels without their own item
//   The KEK of `link` also wraps the key of the erasure log.
//   An item without a key is for all keys that no other item names. For several kinds, it needs KEK_SINGLE=true.
import { readFileSync } from 'node:fs'
import { kekNamesIn, levelOfPart, SIGN_KEY_NAME } from '@weir/fieldcrypt'
import { bool, csv, keyRule, withUnit } from '@weir/kit'
import type { z } from 'zod'
import type { KekSettings } from './kek-settings.ts'
import { ERASURE_LOG_KEY } from '../keyring/key-forms.ts'
import { ControlStateError } from '../errors.ts'

export type KekName = { readonly provider: string; readonly name: string }
export type KekOfKey = (keyName: string) => KekName

const FORM = /^(?:([a-z0-9.]+)=)?(file|env|vault):([A-Za-z0-9][A-Za-z0-9._-]{0,62})$/
/**
 * Each kind of wrapping key has its own KEK. Only auth gets the KEK of `sign`, auth and ingest get that of `link`, and
 * all services get those of `open` and `levels`.
 */
const KINDS: readonly string[] = [SIGN_KEY_NAME, 'link', 'open', 'levels']

const isWrappingKey = (keyName: string): boolean =>
  KINDS.includes(keyName) || levelOfPart(keyName) !== undefined

type Item = KekName & { readonly keyName: string | undefined }

function itemOf(text: string): Item | undefined {
  const [, keyName, provider, name] = FORM.exec(text) ?? []
  if (provider === undefined || name === undefined) return undefined
  return keyName === undefined || isWrappingKey(keyName) ? { keyName, provider, name } : undefined
}

const itemsOf = (texts: readonly string[]): Item[] =>
  texts.map(itemOf).filter((item) => item !== undefined)

/** Whether all texts are valid, no wrapping key is named twice, and each kind of wrapping key has a KEK. */
function isWhole(texts: readonly string[]): boolean {
  const items = itemsOf(texts)
  const wrappingKeys = new Set(items.map(({ keyName }) => keyName))
  const areAllNamed = KINDS.every((kind) => wrappingKeys.has(kind))
  return (
    items.length === texts.length &&
    wrappingKeys.size === items.length &&
    (areAllNamed || wrappingKeys.has(undefined))
  )
}

const EXAMPLE = 'sign=file:sign,link=file:link,open=file:open,levels=file:levels'

export const kekWrapsFields = {
  KEK_WRAPS: withUnit(
    csv().refine(
      isWhole,
      `it must name a KEK for each kind of wrapping key, each kind once: ${EXAMPLE}`,
    ),
    'kind=provider:name, …',
  )
    .optional()
    .describe(
      'the KEK of each kind of wrapping key: `sign`, `link`, `open`, `levels`, which must differ, and single levels (`level.0` …), each as `file:name`, `env:name` or `vault:name`. Unset: the lines with these four names',
    ),
  KEK_SINGLE: bool()
    .default(false)
    .describe(
      'allows one KEK for several kinds, such as `KEK_WRAPS=file:name`. An attacker who controls one service then has the keys of all services',
    ),
}

export type WrapSettings = KekSettings & {
  readonly KEK_WRAPS?: readonly string[] | undefined
  readonly KEK_SINGLE: boolean
}

/** Returns the KEKs in KEK_FILE and KEK. KEKs in Vault are not listed; KEK_WRAPS must name them. */
function availableNames({ KEK_FILE: file, KEK: lines }: Partial<WrapSettings>): KekName[] {
  const of = (provider: string, text: string | undefined): KekName[] =>
    text === undefined ? [] : kekNamesIn(text).map((name) => ({ provider, name }))
  return [...of('file', file && readFileSync(file, 'utf8')), ...of('env', lines)]
}

/**
 * Returns the items if KEK_WRAPS is not set: each kind gets the KEK with its name. If there is only one KEK, all kinds
 * get it.
 */
function itemsByDefault(settings: Partial<WrapSettings>): Item[] {
  if (settings.VAULT_ADDR !== undefined) return []
  const there = availableNames(settings)
  const [only, ...more] = there
  if (only !== undefined && more.length === 0) return [{ ...only, keyName: undefined }]
  const named = there.flatMap((kek) =>
    KINDS.includes(kek.name) ? [{ ...kek, keyName: kek.name }] : [],
  )
  return named.length === KINDS.length ? named : []
}

/** Returns undefined unless every kind of wrapping key has a KEK. */
function kekOfKeyIn(settings: Partial<WrapSettings>): KekOfKey | undefined {
  const items =
    settings.KEK_WRAPS === undefined ? itemsByDefault(settings) : itemsOf(settings.KEK_WRAPS)
  const of = (keyName: string): KekName | undefined =>
    items.find((item) => item.keyName === (keyName === ERASURE_LOG_KEY ? 'link' : keyName)) ??
    (levelOfPart(keyName) === undefined
      ? undefined
      : items.find((item) => item.keyName === 'levels')) ??
    items.find((item) => item.keyName === undefined)
  if (KINDS.some((kind) => of(kind) === undefined)) return undefined
  return (keyName) => {
    const { provider, name } = of(keyName) ?? notAssigned(keyName)
    return { provider, name }
  }
}

function notAssigned(keyName: string): never {
  throw new ControlStateError(
    'control-state.kek_not_assigned',
    `KEK_WRAPS must name the KEK for the wrapping key ${keyName}`,
  )
}

/** @throws ControlStateError `control-state.kek_not_assigned` */
export const kekOfKey = (settings: WrapSettings): KekOfKey =>
  kekOfKeyIn(settings) ?? notAssigned('open')

/** Returns true if a file can't be read, because the check of the file's own setting reports this problem. */
function unlessUnreadable(look: () => boolean): boolean {
  try {
    return look()
  } catch {
    return true
  }
}

const areAllAssigned = (settings: Partial<WrapSettings>): boolean =>
  unlessUnreadable(() => kekOfKeyIn(settings) !== undefined)

const areAvailable = (settings: Partial<WrapSettings>): boolean =>
  unlessUnreadable(() => {
    const there = availableNames(settings)
    return itemsOf(settings.KEK_WRAPS ?? []).every(({ provider, name }) =>
      provider === 'vault'
        ? settings.VAULT_ADDR !== undefined
        : there.some((each) => each.provider === provider && each.name === name),
    )
  })

/**
 * Whether all kinds have different KEKs. A single level may have the KEK of `open`, which the same services have, but
 * never that of `sign` or `link`.
 */
const areDifferent = (settings: Partial<WrapSettings>): boolean =>
  unlessUnreadable(() => {
    const of = kekOfKeyIn(settings)
    if (settings.KEK_SINGLE === true || of === undefined) return true
    const idOf = (keyName: string): string => Object.values(of(keyName)).join(':')
    const [sign, link] = [idOf(SIGN_KEY_NAME), idOf('link')]
    const levels = itemsOf(settings.KEK_WRAPS ?? []).map(({ keyName }) => keyName ?? 'levels')
    const areKindsApart = new Set(KINDS.map(idOf)).size === KINDS.length
    const others = levels.filter((keyName) => levelOfPart(keyName) !== undefined).map(idOf)
    return areKindsApart && !others.some((id) => id === sign || id === link)
  })

export const withWrapRules = <T extends z.ZodType<WrapSettings>>(fields: T): T =>
  fields
    .refine(
      areAllAssigned,
      keyRule(
        'KEK_WRAPS',
        `the available KEKs are not named sign, link, open and levels, so it must say which wraps what: ${EXAMPLE}`,
      ),
    )
    .refine(
      areAvailable,
      keyRule('KEK_WRAPS', 'it names a KEK that is not in KEK_FILE, KEK or Vault'),
    )
    .refine(
      areDifferent,
      keyRule(
        'KEK_WRAPS',
        `sign, link, open and levels must have four different KEKs (no level that of sign or link), so that each service can be given only its own: ${EXAMPLE}. KEK_SINGLE=true allows one for all`,
      ),
    )
