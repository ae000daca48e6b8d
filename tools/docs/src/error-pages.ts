// The codes of a service according to the pages of docs/errors, for comparison with the service's errors.ts.
import { answersIn, readErrorPages } from '@weir/docs'

type Answering = 'ingest' | 'auth' | 'output' | 'WebSocket'

async function pagesOf(service: Answering) {
  return [...(await readErrorPages())].flatMap(([code, page]) => {
    const answer = answersIn(page).find(({ by }) => by === service)
    return answer === undefined ? [] : [{ code, page, status: answer.status }]
  })
}

/** The service's status for each code, from the pages. */
export async function documentedStatuses(service: Answering): Promise<Record<string, number>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(pages.map(({ code, status }) => [code, status]))
}

/** The title in a page's example response, if that is a problem document. */
export async function shownTitles(service: Answering): Promise<Record<string, string>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(
    pages.flatMap(({ code, page }) => {
      const [, title] = /^  "title": "(.*)",$/m.exec(page) ?? []
      return title === undefined ? [] : [[code, title]]
    }),
  )
}
