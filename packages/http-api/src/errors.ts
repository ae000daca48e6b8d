// Turns anything that was thrown into a response. Each service has two tables: its public codes, and the public forms
// of packages' errors. Any other error, except about an unreadable request, becomes `internal` without details, even if
// its code is a public one. Management uses RFC 9457's problem documents.
import { publicFormOf } from '@weir/kit'
import type { PageOf, PublicForms } from '@weir/kit'
import { z } from 'zod'
import { listOf, string } from './api-schemas.ts'
import type { RouteAnswer } from './express/answer.ts'
import { Refusal, refuse } from './refusal.ts'
import type { SharedCode } from './refusal.ts'
import { refusalOfUnreadable } from './express/unreadable.ts'

export const problemAnswer = z.strictObject({
  type: z.url().describe('The page about the code'),
  title: string,
  status: z.int(),
  detail: string,
  code: string,
  problems: listOf(string).describe('One sentence for each thing that is wrong').optional(),
})

export type ErrorRow = {
  readonly status: number
  readonly title: string
  /** The headers of every response with the code. */
  readonly headers?: Readonly<Record<string, string>>
  /** The ids of the OpenAPI operations that return the code. If absent, a rule of the OpenAPI document decides. */
  readonly operations?: readonly string[]
}

export type ErrorTable<Code extends string> = Readonly<Record<Code | SharedCode, ErrorRow>>

export type Errors<Code extends string> = {
  /** Returns the refusal that a client gets for an error. */
  refusalOf(error: unknown): Refusal<Code | SharedCode>
  statusOf(refusal: { readonly code: string }): number
  /** Includes the headers that the code always has. */
  headersOf(refusal: Refusal): Readonly<Record<string, string>>
  problemOf(refusal: Refusal, pageOf: PageOf): RouteAnswer<z.infer<typeof problemAnswer>>
  /** Returns the codes whose rows name this operation. */
  codesOf(operation: string): readonly string[]
}

export function createErrors<Code extends string>(
  table: ErrorTable<Code>,
  publicForms: PublicForms<Code | SharedCode>,
): Errors<Code> {
  const rows: ReadonlyMap<string, ErrorRow> = new Map(Object.entries<ErrorRow>(table))
  const isPublic = (error: unknown): error is Refusal<Code | SharedCode> =>
    error instanceof Refusal && rows.has(error.code)
  const rowOf = (code: string): ErrorRow => rows.get(code) ?? table.internal
  const headersOf = ({ code, headers }: Refusal) => ({ ...rowOf(code).headers, ...headers })

  function refusalOf(cause: unknown): Refusal<Code | SharedCode> {
    if (isPublic(cause)) return cause
    const told = publicFormOf(publicForms, cause)
    if (told !== undefined) return new Refusal(told.code, told.message, { cause })
    return (
      refusalOfUnreadable(cause) ??
      refuse('internal', 'An internal error occurred; see the log', { cause })
    )
  }

  const problemOf: Errors<Code>['problemOf'] = (refusal, pageOf) => {
    const { code, message } = refusal
    const { status, title } = rowOf(code)
    const problems = refusal.problems ?? (status === 422 ? [message] : undefined)
    const type = pageOf(code)
    const own = { 'content-type': 'application/problem+json' }
    return {
      status,
      headers: { ...own, ...headersOf(refusal) },
      body: { type, title, status, detail: message, code, problems },
    }
  }

  const codesOf = (operation: string): readonly string[] =>
    [...rows].flatMap(([code, row]) => (row.operations?.includes(operation) ? [code] : []))

  const statusOf = ({ code }: { readonly code: string }): number => rowOf(code).status
  return { refusalOf, statusOf, headersOf, problemOf, codesOf }
}
