// What auth tells of itself to readers: its API, for people and for programs, and the pages of refusals. Nobody has to prove anything for them, and they hold nothing of
// an account.
import { apiPageOf, pageHeaders, style, styleHeaders } from '@weir/docs'
import type { ErrorPages, JsonSchema } from '@weir/docs'
import type { PageOf } from '@weir/kit'
import { refusal } from '../../errors.ts'
import type { RouteHandler } from '@weir/http-api'

export type Docs = {
  readonly errors: ErrorPages
  readonly openApi: JsonSchema
  /** Where a code is explained. */
  readonly pageOf: PageOf
}

const kept = { 'cache-control': 'public, max-age=300' }

export const showOpenApi = ({ openApi }: Docs): RouteHandler => {
  return () => ({ status: 200, headers: kept, body: openApi })
}

export const showApi = ({ openApi, pageOf }: Docs): RouteHandler => {
  const body = apiPageOf({
    document: openApi,
    styleHref: '/docs/style.css',
    home: { href: '/docs', text: 'Weir auth' },
    links: [{ href: '/docs/errors', text: 'errors' }],
    pageOfCode: pageOf,
  })
  return () => ({ status: 200, headers: { ...pageHeaders, ...kept }, body })
}

export const listErrors =
  ({ errors }: Docs): RouteHandler =>
  () => ({ status: 200, headers: { ...pageHeaders, ...kept }, body: errors.index() })

export const showError =
  ({ errors }: Docs): RouteHandler =>
  (call) => {
    const body = errors.page(call.param('code'))
    if (body === undefined) throw refusal('not_found', 'There is no such code; see /docs/errors')
    return { status: 200, headers: { ...pageHeaders, ...kept }, body }
  }

export const showStyle: RouteHandler = () => ({
  status: 200,
  headers: { ...styleHeaders, ...kept },
  body: style,
})
