// The kinds of configuration values. Each field reads the text of one environment variable and returns a typed value.
// `.default()` takes the typed value, and `.describe()` says what to set. The field's notes contain the unit, whether
// the value is secret, and what the file must contain.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

import { z } from 'zod'

import { noted } from './field-notes.ts'

const TIMER_MS_MAX = 2 ** 31 - 1
const SECRET_BYTES_MAX = 65_536

/** A whole number within bounds, both inclusive. */
export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER, of = '' } = {}) {
  const message = `it must be a whole number from ${min} to ${max}`
  const field = z
    .string()
    .trim()
    .regex(/^-?\d{1,16}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
  const bounds = max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `${min} to ${max}`
  return noted(field, { unit: of === '' ? bounds : `${of}, ${bounds}` })
}

/** A TCP port; 0 lets the system choose. */
export function port() {
  return noted(integer({ min: 0, max: 65_535 }), { unit: 'port' })
}

/** A time span that fits a timer. */
export function milliseconds({ min = 0, max = TIMER_MS_MAX } = {}) {
  return integer({ min, max: Math.min(max, TIMER_MS_MAX), of: 'ms' })
}

/** Comma-separated values, trimmed; at least one. */
export function csv() {
  const field = z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .transform((items): readonly string[] => items.filter((item) => item !== ''))
    .refine((items) => items.length > 0, 'it must be a comma-separated list')
  return noted(field, { unit: 'a, b, …' })
}

/** Comma-separated addresses, each with its port. */
export function hostPorts() {
  const field = csv().refine(
    (items) => items.every(isHostPort),
    'it must be host:port, or several of them with commas between',
  )
  return noted(field, { unit: 'host:port, …' })
}

/** An address to listen on: an IP address or a name. */
export function host() {
  const field = z.string().trim().refine(isHost, 'it must be an IP address or the name of a host')
  return noted(field, { unit: 'address' })
}

/** true or false, also as 1 and 0. */
export function bool() {
  const field = z
    .string()
    .trim()
    .toLowerCase()
    .refine((text) => ['true', 'false', '1', '0'].includes(text), 'it must be true or false')
    .transform((text) => text === 'true' || text === '1')
  return noted(field, { unit: 'true, false' })
}

/** One of these words. */
export function oneOf<const T extends readonly string[]>(words: T) {
  const list = words.join(', ')
  return noted(z.enum(words, `it must be one of ${list}`), { unit: list })
}

/** A line of text without control characters. */
export function text() {
  const field = z
    .string()
    .trim()
    .regex(/^[^\p{Cc}]+$/u, 'it must be one line of text without control characters')
  return noted(field, { unit: 'text' })
}

/** Like `text`, but never shown. A file is safer, because an environment can often be read from outside. */
export function secretText() {
  return noted(text(), { unit: 'text', isSecret: true })
}

/** Several lines, never shown. `problemOf` checks them. */
export function secretLines(problemOf: (lines: string) => string | undefined) {
  const field = z.string().superRefine((lines, context) => {
    const message = problemOf(lines)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  return noted(field, { unit: 'lines', isSecret: true })
}

/** An http or https address, without slashes at its end. */
export function url() {
  const field = z
    .string()
    .trim()
    .refine(isHttpUrl, 'it must be an address that starts with http:// or https://')
    .transform((address) => address.replace(/\/+$/, ''))
  return noted(field, { unit: 'address' })
}

const path = () => z.string().trim().min(1)

/** A file that must be readable at the start. `problemOf` checks its contents. */
export function file(problemOf?: (contents: Buffer) => string | undefined) {
  return noted(path(), { unit: 'file', file: problemOf ? { problemOf } : {} })
}

/** A file with a secret such as a password: its text, trimmed. */
export function secretFile() {
  return file(secretProblem)
}

/** Like `secretFile`, but the service creates the file if it is missing. */
export function secretFileToMake() {
  const rule = { mayBeMissing: true, problemOf: secretProblem }
  return noted(path(), { unit: 'file', file: rule })
}

/** A file with certificates in PEM. */
export function certificateFile() {
  const field = path()
  return noted(field, { unit: 'file, PEM', file: { problemOf: certificateProblem } })
}

/** A file with a private key in PEM, without a passphrase. */
export function privateKeyFile() {
  const field = path()
  return noted(field, { unit: 'file, PEM', file: { problemOf: keyProblem } })
}

/** A service's own kind of field, with a unit. */
export function withUnit<T extends z.ZodType>(field: T, unit: string): T {
  return noted(field, { unit })
}

/** A problem of a rule over several keys, reported at this key. The rule is checked even if single keys are wrong. */
export function keyRule(key: string, message: string) {
  return { path: [key], message, when: () => true }
}

function secretProblem(contents: Buffer): string | undefined {
  const isSecret = contents.length <= SECRET_BYTES_MAX && contents.toString('utf8').trim() !== ''
  return isSecret ? undefined : 'the file is empty, or far too large for a secret'
}

function certificateProblem(contents: Buffer): string | undefined {
  return can(() => new X509Certificate(contents))
    ? undefined
    : 'the file contains no PEM certificate'
}

function keyProblem(contents: Buffer): string | undefined {
  return can(() => createPrivateKey(contents))
    ? undefined
    : 'the file contains no private key in PEM, or one with a passphrase'
}

function can(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

function isHttpUrl(address: string): boolean {
  return /^https?:\/\//i.test(address) && URL.canParse(address)
}

function isHost(name: string): boolean {
  return isIP(name) !== 0 || /^[a-z0-9_]([a-z0-9_.-]{0,252}[a-z0-9_])?\.?$/i.test(name)
}

function isHostPort(address: string): boolean {
  const [, name = '', number = ''] = /^(.+):(\d{1,5})$/.exec(address) ?? []
  return isHost(name) && isIP(name) !== 6 && Number(number) > 0 && Number(number) < 65_536
}
