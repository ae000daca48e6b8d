// The types of configuration fields. Each field reads the text of one environment variable and returns a typed value.
// `.default()` takes the typed value, and `.describe()` says what to set.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

import { z } from 'zod'

import { noted } from './field-notes.ts'

const TIMER_MS_MAX = 2 ** 31 - 1
const SECRET_BYTES_MAX = 65_536

/** Accepts a whole number within bounds, both inclusive. */
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

/** Accepts a TCP port; with 0 the system chooses one. */
export function port() {
  return noted(integer({ min: 0, max: 65_535 }), { unit: 'port' })
}

/** Accepts a time span that is possible for a timer. */
export function milliseconds({ min = 0, max = TIMER_MS_MAX } = {}) {
  return integer({ min, max: Math.min(max, TIMER_MS_MAX), of: 'ms' })
}

/** Accepts one or more comma-separated values, and trims them. */
export function csv() {
  const field = z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .transform((items): readonly string[] => items.filter((item) => item !== ''))
    .refine((items) => items.length > 0, 'it must be a comma-separated list')
  return noted(field, { unit: 'a, b, …' })
}

/** Accepts comma-separated addresses, each with its port. */
export function hostPorts() {
  const field = csv().refine(
    (items) => items.every(isHostPort),
    'it must be host:port, or several of them with commas between',
  )
  return noted(field, { unit: 'host:port, …' })
}

/** Accepts an address to listen on: an IP address or a name. */
export function host() {
  const field = z.string().trim().refine(isHost, 'it must be an IP address or the name of a host')
  return noted(field, { unit: 'address' })
}

/** Accepts true and false, also as 1 and 0. */
export function bool() {
  const field = z
    .string()
    .trim()
    .toLowerCase()
    .refine((text) => ['true', 'false', '1', '0'].includes(text), 'it must be true or false')
    .transform((text) => text === 'true' || text === '1')
  return noted(field, { unit: 'true, false' })
}

export function oneOf<const T extends readonly string[]>(words: T) {
  const list = words.join(', ')
  return noted(z.enum(words, `it must be one of ${list}`), { unit: list })
}

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

/** Accepts several lines, which are never shown. `problemOf` checks them. */
export function secretLines(problemOf: (lines: string) => string | undefined) {
  const field = z.string().superRefine((lines, context) => {
    const message = problemOf(lines)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  return noted(field, { unit: 'lines', isSecret: true })
}

/** Accepts an http or https address, and removes slashes at its end. */
export function url() {
  const field = z
    .string()
    .trim()
    .refine(isHttpUrl, 'it must be an address that starts with http:// or https://')
    .transform((address) => address.replace(/\/+$/, ''))
  return noted(field, { unit: 'address' })
}

const path = () => z.string().trim().min(1)

/** Accepts the path of a file that must be readable at the start. `problemOf` checks its contents. */
export function file(problemOf?: (contents: Buffer) => string | undefined) {
  return noted(path(), { unit: 'file', file: problemOf ? { problemOf } : {} })
}

/** Accepts the path of a file with a secret, such as a password. */
export function secretFile() {
  return file(secretProblem)
}

/** Like `secretFile`, but the service creates the file if it is missing. */
export function secretFileToMake() {
  const rule = { mayBeMissing: true, problemOf: secretProblem }
  return noted(path(), { unit: 'file', file: rule })
}

export function certificateFile() {
  const field = path()
  return noted(field, { unit: 'file, PEM', file: { problemOf: certificateProblem } })
}

/** Accepts the path of a file with a private key in PEM, without a passphrase. */
export function privateKeyFile() {
  const field = path()
  return noted(field, { unit: 'file, PEM', file: { problemOf: keyProblem } })
}

/** Adds the unit to a service's own type of field. */
export function withUnit<T extends z.ZodType>(field: T, unit: string): T {
  return noted(field, { unit })
}

/**
 * Options for `refine`: reports the problem of a rule about several keys at this key. The rule is checked even if
 * single keys are wrong.
 */
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
