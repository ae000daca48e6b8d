// What output tells of itself to readers: its API, for people and for programs. Nobody has to prove anything for it.
import { apiPageOf, pageHeaders, style, styleHeaders } from '@weir/docs'
import type { JsonSchema } from '@weir/docs'
import type { PageOf } from '@weir/kit'
import type { RouteHandler } from '@weir/http-api'

const kept = { 'cache-control': 'public, max-age=300' }

export const showOpenApi =
  (openApi: JsonSchema): RouteHandler =>
  async () => ({ status: 200, headers: kept, body: openApi })

export const showApi = (openApi: JsonSchema, pageOf: PageOf): RouteHandler => {
  const body = apiPageOf({
    document: openApi,
    styleHref: '/docs/style.css',
    home: { href: '/docs', text: 'Weir output' },
    pageOfCode: pageOf,
  })
  return async () => ({ status: 200, headers: { ...pageHeaders, ...kept }, body })
}

export const showStyle: RouteHandler = async () => ({
  status: 200,
  headers: { ...styleHeaders, ...kept },
  body: style,
})
