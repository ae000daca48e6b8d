// Limits for unauthenticated bodies of /auth, /refresh and /oauth2/token, in bytes and parameters, because parsing
// takes time.
import { refusal } from '../errors.ts'
import type { Refusal } from '@weir/http-api'

export const tokenBodyBytesMax = 16_384
const parametersMax = 20

/**
 * Returns the parameters of a form, which must not repeat (RFC 6749 3.2).
 * @throws Refusal `invalid_request`
 */
export function parseForm(body: Buffer): ReadonlyMap<string, string> {
  const text = body.toString('utf8')
  if (holdsMoreThan(text, '&', parametersMax - 1)) throw tooManyParameters()
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw malformedBody('A parameter is sent twice; send each parameter once')
    form.set(name, value)
  }
  return form
}

/** @throws Refusal `invalid_request` if a JSON object has too many members */
export function requireFewMembers(body: unknown): void {
  if (typeof body === 'object' && body !== null && Object.keys(body).length > parametersMax)
    throw tooManyParameters()
}

export const malformedBody = (sentence: string): Refusal => refusal('invalid_request', sentence)

const tooManyParameters = (): Refusal =>
  malformedBody(
    `The body has more than ${parametersMax} parameters; send only those that are needed`,
  )

function holdsMoreThan(text: string, character: string, most: number): boolean {
  let at = -1
  for (let found = 0; found <= most; found += 1) {
    at = text.indexOf(character, at + 1)
    if (at < 0) return false
  }
  return true
}
