// Creates the link from a refusal to the page of its code. Every refusal has this link in the header `Link` and, if its
// format permits, in the body.

import { url } from './config-fields.ts'

export const docsFields = {
  DOCS_URL: url()
    .optional()
    .describe(
      'the address of the documents (`<DOCS_URL>/errors/<code>`); unset: `<AUTH_PUBLIC_URL>/docs`',
    ),
}

export type PageOf = (code: string) => string

export function createPageOf(config: {
  readonly DOCS_URL?: string | undefined
  readonly AUTH_PUBLIC_URL: string
}): PageOf {
  const docsUrl = config.DOCS_URL ?? `${config.AUTH_PUBLIC_URL}/docs`
  return (code) => `${docsUrl}/errors/${code}`
}

/** Returns the value of a `Link` header (RFC 8288). */
export const helpLink = (page: string): string => `<${page}>; rel="help"`
