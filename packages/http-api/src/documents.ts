// Serves a service's API documentation, for people and for programs. It needs no authentication, and contains no data
// of an account.
import { apiPageOf, pageHeaders, style, styleHeaders } from '@weir/docs'
import type { JsonSchema } from '@weir/docs'
import type { PageOf } from '@weir/kit'
import type { RouteAnswer, RouteHandler } from './express/answer.ts'

export type Documented = {
  /** The service's name above the pages. */
  readonly title: string
  readonly openApi: JsonSchema
  readonly pageOf: PageOf
}

const kept = { 'cache-control': 'public, max-age=300' }

const pageAnswer = (html: string): RouteAnswer => ({
  status: 200,
  headers: { ...pageHeaders, ...kept },
  body: html,
})

export const showOpenApi =
  ({ openApi }: Pick<Documented, 'openApi'>): RouteHandler =>
  () => ({ status: 200, headers: kept, body: openApi })

export function showApi({ title, openApi, pageOf }: Documented): RouteHandler {
  const page = apiPageOf({
    document: openApi,
    styleHref: '/docs/style.css',
    home: { href: '/docs', text: title },
    pageOfCode: pageOf,
  })
  return () => pageAnswer(page)
}

export const showStyle: RouteHandler = () => ({
  status: 200,
  headers: { ...styleHeaders, ...kept },
  body: style,
})
