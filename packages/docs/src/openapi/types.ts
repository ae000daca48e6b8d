// What a service says of its HTTP interface, in a table of operations; document.ts makes OpenAPI of it.

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Parameter = {
  readonly name: string
  readonly schema: JsonSchema
  readonly says: string
  readonly isRequired?: boolean
}

export type Content = Readonly<Record<string, JsonSchema>>

export type Answer = {
  readonly status: number
  readonly says: string
  /** By media type; without it the answer has no body. */
  readonly content?: Content
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Operation = {
  readonly id: string
  readonly group: string
  readonly method: Method
  /** As the router has it: `/v2/streams/:stream`. */
  readonly path: string
  readonly says: string
  /** Names of security schemes, any of which will do; none: for anyone. */
  readonly who: readonly string[]
  /** The role that an API key needs; one that covers it will do, too. */
  readonly role?: string | undefined
  readonly query?: readonly Parameter[]
  readonly headers?: readonly Parameter[]
  readonly body?: { readonly content: Content; readonly mayBeMissing?: boolean }
  readonly answers: readonly Answer[]
  /** Codes of refusals. */
  readonly refusals: readonly string[]
  /** How this operation tells a refusal; the service's own form unless said otherwise. */
  readonly refusalForm?: RefusalForm
}

/** The content of a refusal with one of these codes. */
export type RefusalForm = (codes: readonly string[]) => Content

export type Api = {
  readonly title: string
  readonly says: string
  readonly version: string
  readonly groups: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
  /** What may be in a path, by its name there. */
  readonly pathParameters: Readonly<Record<string, Parameter>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly security: Readonly<Record<string, JsonSchema>>
  readonly statusOf: (code: string) => number
  readonly refusalForm: RefusalForm
}
