// Compares the responses in docs/errors with those of the services. Causes each refusal that a client can cause.
import { isDeepStrictEqual } from 'node:util'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { answersIn, readErrorPages, siteFolder } from '@weir/docs'
import { buildSite } from '@weir/docs/site'
import { startWorld } from '@weir/testkit'
import type { World } from '@weir/testkit'
import { readDocument } from '../../src/documents.ts'
import { comparable } from '../../src/walk/walk.ts'
import { provoke } from './provoke.ts'
import { ask, asShown, makeScene } from './scene.ts'
import type { Scene } from './scene.ts'

const pages = await readErrorPages()

let world: World
let scene: Scene

beforeAll(async () => {
  await buildSite(siteFolder)
  const bounds = { ERASURES_MAX: '100', SUBJECT_LINKS_MAX: '2' }
  world = await startWorld({ AUTH_PUBLIC_URL: 'http://127.0.0.1:8081', ...bounds })
  scene = await makeScene(world)
}, 120_000)

afterAll(() => world?.stop(), 60_000)

test.each(Object.entries(provoke))(
  'the page of %s shows the answer that comes',
  async (code, bringAbout) => {
    const shown = exampleOf(code)
    const told = await bringAbout(scene)
    const answer = asShown(code, told)
    if (!isDeepStrictEqual(linesOf(answer), linesOf(shown)))
      throw new Error(`docs/errors/${code}.md doesn't show this answer:\n\n${answer}`)
  },
  60_000,
)

test('docs/errors.md shows the headers and members that every such answer has', async () => {
  const page = await readDocument('docs/errors.md')
  const told = await ask(`${world.auth.url}/v2/streams/cliks`, {
    headers: { authorization: `Bearer ${scene.account.apiKey}` },
  })
  for (const name of ['content-type', 'link', 'svc-error'])
    expect(page).toContain(`\n${name}: ${told.header(name)}\n`)
  expect(page).toContain(JSON.stringify(JSON.parse(told.text), null, 2))
})

test('auth serves the page of every code, under a policy that lets no foreign script run', async () => {
  for (const code of pages.keys()) {
    const page = await ask(`${world.auth.url}/docs/errors/${code}`)
    expect([code, page.status]).toEqual([code, 200])
    expect(page.header('content-security-policy')).toMatch(
      /^default-src 'none'; .*; script-src 'self'$/,
    )
    expect(page.text).toContain(`<h1 id="${code}">${code}</h1>`)
  }
  expect((await ask(`${world.auth.url}/docs/errors/..%2Ferrors`)).status).toBe(404)
})

test('a code without a provocation has a page that says why', () => {
  const ofServices = [...pages].filter(([, page]) =>
    answersIn(page).some(({ by }) => by !== 'weir'),
  )
  const unexplained = ofServices.filter(
    ([, page]) => !/^_Not provoked by the tests: .+\._$/m.test(page),
  )
  expect(Object.keys(provoke).sort()).toEqual(unexplained.map(([code]) => code))
})

/** Omits the wait time, which differs each time. */
const linesOf = (answer: string): string[] =>
  comparable(answer.replace(/^retry-after: \d+$/m, 'retry-after: some'))

function exampleOf(code: string): string {
  const [, example = ''] = /^```http\n(.*?)^```$/ms.exec(pages.get(code) ?? '') ?? []
  return example
}
