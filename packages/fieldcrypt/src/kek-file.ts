// The KEK providers `file` and `env`, which need no KMS. Each KEK is a line of a file or of an environment variable.
//
//   # comment
//   name version key        ; the key as 64 hexadecimal digits or 44 characters of base64
//
// The highest version of a name wraps; all versions unwrap. An error about a line contains its number and the rule,
// never its text, because the key may be in any column of an invalid line.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { kekFileInvalid, recordUnreadable } from './errors.ts'
import { gcmOpen, gcmSeal } from './gcm.ts'
import { KEY_BYTES } from './tree/parts.ts'
import { randomNonce } from './random.ts'
import type { KekProvider } from './wrapping-keys.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const VERSION = /^[1-9][0-9]{0,8}$/
const HEX_KEY = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/

type KekLine = { readonly name: string; readonly version: number; readonly key: KeyObject }

export type KekFileOptions = {
  /** `env` if the lines come from an environment variable. Default `file`. */
  readonly provider?: 'file' | 'env'
  /** The name of the KEK that wraps. Needed only to wrap, if the lines have several names. */
  readonly name?: string | undefined
  readonly nonce?: () => Buffer
}

/** Returns the names in the lines, each once. Throws `kek_file_invalid`. */
export const kekNamesIn = (text: string): string[] => [
  ...new Set(parseLines(text).map(({ name }) => name)),
]

/** Returns the ids of all KEKs in the lines. Throws `kek_file_invalid`. */
export const kekIdsIn = (text: string, provider: 'file' | 'env'): string[] =>
  parseLines(text).map((line) => idOf(provider, line))

const idOf = (provider: string, { name, version }: KekLine): string =>
  `${provider}:${name}:${version}`

/** Throws `kek_file_invalid`. So does `wrap` if the lines have several names and `options.name` is undefined. */
export function parseKekFile(text: string, options: KekFileOptions = {}): KekProvider {
  const { provider = 'file', nonce = randomNonce } = options
  const lines = parseLines(text)
  const byId = new Map(lines.map((line) => [idOf(provider, line), line.key]))
  if (options.name !== undefined) newestOf(lines, options.name)
  return {
    async wrap(recordKey, plain) {
      const newest = newestOf(lines, options.name)
      return {
        kek: idOf(provider, newest),
        wrapped: gcmSeal(newest.key, recordKey, plain, nonce()),
      }
    },
    async unwrap(recordKey, kek, wrapped) {
      if (!kek.startsWith(`${provider}:`)) {
        throw recordUnreadable(`record ${recordKey}`, `its KEK is not of the provider ${provider}`)
      }
      const key = byId.get(kek)
      if (key === undefined) {
        throw recordUnreadable(`record ${recordKey}`, 'the version of the KEK is not available')
      }
      const plain = gcmOpen(key, recordKey, wrapped)
      if (plain === undefined) throw recordUnreadable(`record ${recordKey}`)
      return plain
    },
    async has(kek) {
      if (!kek.startsWith(`${provider}:`))
        throw kekFileInvalid(
          `KEKs of the provider ${provider} cannot say whether ${kek} still exists`,
        )
      return byId.has(kek)
    },
  }
}

function parseLines(text: string): KekLine[] {
  const parsed: KekLine[] = []
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const kek = parseLine(line, index + 1)
    if (parsed.some(({ name, version }) => name === kek.name && version === kek.version)) {
      throw kekFileInvalid(`KEK line ${index + 1}: this name and version stand there twice`)
    }
    parsed.push(kek)
  }
  if (parsed.length === 0) throw kekFileInvalid('there is no KEK: a line is «name version key»')
  return parsed
}

function parseLine(line: string, number: number): KekLine {
  const refuse = (rule: string) => kekFileInvalid(`KEK line ${number}: ${rule}`)
  const [name = '', version = '', key = '', ...rest] = line.split(/\s+/)
  if (key === '' || rest.length > 0) throw refuse('expected three words, «name version key»')
  if (!NAME.test(name)) throw refuse('the name has 1 to 63 letters, digits, dots, _ or -')
  if (!VERSION.test(version)) throw refuse('the version is a whole number from 1 to 999999999')
  const bytes = keyBytes(key)
  if (bytes === undefined) {
    throw refuse('the key has 64 hexadecimal digits or 44 characters of base64')
  }
  return { name, version: Number(version), key: createSecretKey(bytes) }
}

function keyBytes(text: string): Buffer | undefined {
  if (HEX_KEY.test(text)) return Buffer.from(text, 'hex')
  const bytes = BASE64_KEY.test(text) ? Buffer.from(text, 'base64') : undefined
  return bytes?.length === KEY_BYTES && bytes.toString('base64') === text ? bytes : undefined
}

function newestOf(lines: readonly KekLine[], wanted: string | undefined): KekLine {
  const names = new Set(lines.map(({ name }) => name))
  if (wanted === undefined && names.size > 1) {
    throw kekFileInvalid('there are KEKs of several names: say which one wraps')
  }
  const candidates = lines.filter(({ name }) => wanted === undefined || name === wanted)
  const [first, ...others] = candidates
  if (first === undefined) throw kekFileInvalid('there is no KEK of the name that is to wrap')
  return others.reduce((newest, line) => (line.version > newest.version ? line : newest), first)
}
