// The kinds of value that configuration knows. Each field reads the text of one environment variable
// and gives a typed value; `.default()` takes the typed value, `.describe()` says what to set.

import { z } from 'zod'

const TIMER_MS_MAX = 2 ** 31 - 1

/** A whole number within bounds, both inclusive. */
export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  const message = `it must be a whole number from ${min} to ${max}`
  return z
    .string()
    .trim()
    .regex(/^-?\d{1,16}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
}

/** A TCP port; 0 lets the system choose. */
export function port() {
  return integer({ min: 0, max: 65_535 })
}

/** A span of time that a timer can take. */
export function milliseconds({ min = 0, max = TIMER_MS_MAX } = {}) {
  return integer({ min, max: Math.min(max, TIMER_MS_MAX) })
}

/** Comma-separated values, trimmed; at least one. */
export function csv() {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .transform((items): readonly string[] => items.filter((item) => item !== ''))
    .refine((items) => items.length > 0, 'it must be a comma-separated list')
}

/** true or false, also as 1 and 0. */
export function bool() {
  return z
    .string()
    .trim()
    .toLowerCase()
    .refine((text) => ['true', 'false', '1', '0'].includes(text), 'it must be true or false')
    .transform((text) => text === 'true' || text === '1')
}

/** An http or https address, without slashes at its end. */
export function url() {
  return z
    .string()
    .trim()
    .refine(isHttpUrl, 'it must be an address that starts with http:// or https://')
    .transform((text) => text.replace(/\/+$/, ''))
}

/** A path, or undefined. Whether the file can be read shows when it is opened. */
export function optionalFilePath() {
  return z.string().trim().min(1).optional()
}

/** Where a rule over several keys is told. It is looked at although single keys may be wrong as well. */
export function keyRule(key: string, message: string) {
  return { path: [key], message, when: () => true }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
