// What the pages of docs/errors say of a service's codes, for comparison with the table in the service's errors.ts.
import { answersIn, readErrorPages } from '@weir/docs'

type Answering = 'ingest' | 'auth' | 'output' | 'WebSocket' | 'weir'

async function pagesOf(service: Answering) {
  return [...(await readErrorPages())].flatMap(([code, page]) => {
    const answer = answersIn(page).find(({ by }) => by === service)
    return answer === undefined ? [] : [{ code, page, status: answer.status }]
  })
}

/** The service's status of each code, by the pages. */
export async function documentedStatuses(service: Answering): Promise<Record<string, number>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(pages.map(({ code, status }) => [code, status]))
}

/** The title in the answer on a page, where it is a problem document. */
export async function shownTitles(service: Answering): Promise<Record<string, string>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(
    pages.flatMap(({ code, page }) => {
      const [, title] = /^  "title": "(.*)",$/m.exec(page) ?? []
      return title === undefined ? [] : [[code, title]]
    }),
  )
}
