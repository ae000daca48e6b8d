// Reads a service's error codes from the pages of docs/errors, to compare them with the service's errors.ts.
import { answersIn, readErrorPages } from '@weir/docs'

type Answering = 'ingest' | 'auth' | 'output' | 'WebSocket'

async function pagesOf(service: Answering) {
  return [...(await readErrorPages())].flatMap(([code, page]) => {
    const answer = answersIn(page).find(({ by }) => by === service)
    return answer === undefined ? [] : [{ code, page, status: answer.status }]
  })
}

export async function documentedStatuses(service: Answering): Promise<Record<string, number>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(pages.map(({ code, status }) => [code, status]))
}

/** Returns, by code, the titles in example responses that are problem documents. */
export async function shownTitles(service: Answering): Promise<Record<string, string>> {
  const pages = await pagesOf(service)
  return Object.fromEntries(
    pages.flatMap(({ code, page }) => {
      const [, title] = /^  "title": "(.*)",$/m.exec(page) ?? []
      return title === undefined ? [] : [[code, title]]
    }),
  )
}
