// The public pages that explain errors. They contain no data of an account.
import type { ErrorPages } from '@weir/docs'
import { pageAnswer } from '@weir/http-api'
import type { RouteHandler } from '@weir/http-api'
import { refusal } from '../../errors.ts'

export const listErrors =
  (pages: Pick<ErrorPages, 'index'>): RouteHandler =>
  () =>
    pageAnswer(pages.index())

export const showError =
  (pages: Pick<ErrorPages, 'page'>): RouteHandler =>
  (call) => {
    const page = pages.page(call.param('code'))
    if (page === undefined) throw refusal('not_found', 'There is no such code; see /docs/errors')
    return pageAnswer(page)
  }
