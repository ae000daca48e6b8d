// What a service tells of itself to readers: its API, for people and for programs. Nobody has to prove anything for it, and it
// holds nothing of an account.
import { apiPageOf, pageHeaders, style, styleHeaders } from '@weir/docs'
import type { JsonSchema, PageLink } from '@weir/docs'
import type { PageOf } from '@weir/kit'
import type { RouteAnswer, RouteHandler } from './express/answer.ts'

export type Documented = {
  /** As its name stands above the pages. */
  readonly title: string
  readonly openApi: JsonSchema
  readonly links?: readonly PageLink[]
  /** Where a code is explained. */
  readonly pageOf: PageOf
}

const kept = { 'cache-control': 'public, max-age=300' }

export const pageAnswer = (html: string): RouteAnswer => ({
  status: 200,
  headers: { ...pageHeaders, ...kept },
  body: html,
})

export const showOpenApi =
  ({ openApi }: Pick<Documented, 'openApi'>): RouteHandler =>
  () => ({ status: 200, headers: kept, body: openApi })

export function showApi({ title, openApi, links = [], pageOf }: Documented): RouteHandler {
  const page = apiPageOf({
    document: openApi,
    styleHref: '/docs/style.css',
    home: { href: '/docs', text: title },
    links,
    pageOfCode: pageOf,
  })
  return () => pageAnswer(page)
}

export const showStyle: RouteHandler = () => ({
  status: 200,
  headers: { ...styleHeaders, ...kept },
  body: style,
})
