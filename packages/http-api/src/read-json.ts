// Reads bodies as JSON, and checks them. An unreadable body gets 400. A readable body is checked against its schema as
// a whole, and all problems are reported together.
import { countJsonMembers, jsonDepthMax, listItemsMax, longListIn } from '@weir/kit'
import type { z } from 'zod'
import type { Call } from './express/answer.ts'
import { invalid, refuse } from './refusal.ts'

export const bodyRule = 'The body must be a JSON object'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws Refusal `not_json` */
export async function readJson(call: Call, bytesMax?: number): Promise<unknown> {
  return parse(await call.readBody(bytesMax))
}

/** Like `readJson`, but an empty body counts as an empty object, for endpoints that need no input. */
export async function readOptionalJson(call: Call): Promise<unknown> {
  const body = await call.readBody()
  return body.length === 0 ? {} : parse(body)
}

function parse(body: Buffer): unknown {
  if (body.length === 0) throw refuse('not_json', 'The body is empty; send a JSON object')
  if (countJsonMembers(body) === undefined)
    throw refuse('not_json', `The body is nested deeper than ${jsonDepthMax} levels`)
  try {
    return JSON.parse(utf8.decode(body))
  } catch (cause) {
    throw refuse('not_json', 'The body is not JSON in UTF-8', { cause })
  }
}

/** @throws Refusal `invalid` with one sentence for each problem */
export function checkBody<Input>(schema: z.ZodType<Input>, body: unknown): Input {
  const long = longListIn(body)
  if (long !== undefined) throw invalid([`${long} has more than ${listItemsMax} items`])
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw invalid([...new Set(result.error.issues.flatMap(sentencesOf))])
}

function sentencesOf(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `${path === '' ? '' : `${path}.`}${key} is not known here; leave it out`,
    )
  return [path === '' ? issue.message : `${path} ${issue.message}`]
}
