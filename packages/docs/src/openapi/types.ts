// A service's HTTP interface as a table of operations, from which document.ts builds OpenAPI.

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Parameter = {
  readonly name: string
  readonly schema: JsonSchema
  readonly says: string
  readonly isRequired?: boolean
}

export type Content = Readonly<Record<string, JsonSchema>>

export type DocumentedAnswer = {
  readonly status: number
  readonly says: string
  /** The content by media type. Without it the response has no body. */
  readonly content?: Content
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Operation = {
  readonly id: string
  readonly group: string
  readonly method: Method
  /** The path as in the router: `/v2/streams/:stream`. */
  readonly path: string
  readonly says: string
  /** Names of alternative security schemes; none means public. */
  readonly who: readonly string[]
  /** The role that an API key needs. A role that includes it is sufficient, too. */
  readonly role?: string | undefined
  readonly query?: readonly Parameter[]
  readonly headers?: readonly Parameter[]
  readonly body?: { readonly content: Content; readonly mayBeMissing?: boolean }
  readonly answers: readonly DocumentedAnswer[]
  readonly refusals: readonly string[]
  /** The format of this operation's refusals. By default that of the service. */
  readonly refusalForm?: RefusalForm
}

/** Returns the content of a refusal with one of these codes. */
export type RefusalForm = (codes: readonly string[]) => Content

export type Api = {
  readonly title: string
  readonly says: string
  readonly version: string
  readonly groups: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
  readonly pathParameters: Readonly<Record<string, Parameter>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly security: Readonly<Record<string, JsonSchema>>
  readonly statusOf: (code: string) => number
  readonly refusalForm: RefusalForm
}
