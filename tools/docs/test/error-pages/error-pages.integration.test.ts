// The answers that docs/errors shows are those that the services give: each refusal that a client can bring about is brought
// about, and held against its page.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { startWorld } from '@weir/testkit'
import type { World } from '@weir/testkit'
import { comparable } from '../../src/walk/walk.ts'
import { notProvoked, provoke } from './provoke.ts'
import { ask, asShown, makeScene } from './scene.ts'
import type { Scene } from './scene.ts'

let world: World
let scene: Scene

beforeAll(async () => {
  world = await startWorld({ AUTH_PUBLIC_URL: 'http://127.0.0.1:8081', ERASURES_MAX: '100' })
  scene = await makeScene(world)
}, 120_000)

afterAll(() => world?.stop(), 60_000)

test.each(Object.entries(provoke))(
  'the page of %s shows the answer that comes',
  async (code, bringAbout) => {
    const shown = await exampleOf(code)
    const told = await bringAbout(scene)
    expect(linesOf(asShown(told))).toEqual(linesOf(shown))
  },
  60_000,
)

test('auth serves the page of every code, under a policy that lets no script run', async () => {
  for (const code of [...Object.keys(provoke), ...notProvoked]) {
    const page = await ask(`${world.auth.url}/docs/errors/${code}`)
    expect([code, page.status]).toEqual([code, 200])
    expect(page.header('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/)
    expect(page.text).toContain(`<h1 id="${code}">${code}</h1>`)
  }
  expect((await ask(`${world.auth.url}/docs/errors/..%2Ferrors`)).status).toBe(404)
})

test('nothing is left out but what only breaks of Weir bring about', async () => {
  const index = await readDocument('docs/errors.md')
  const rows = index.matchAll(/^\| \d{3} +\| \[`(\w+)`\]/gm)
  const codes = [...rows].map(([, code = '']) => code)
  expect(new Set([...Object.keys(provoke), ...notProvoked])).toEqual(new Set(codes))
})

/** How long to wait is another matter each time. */
const linesOf = (answer: string): string[] =>
  comparable(answer.replace(/^retry-after: \d+$/m, 'retry-after: some'))

async function exampleOf(code: string): Promise<string> {
  const text = await readDocument(`docs/errors/${code}.md`)
  const [, example = ''] = /^```http\n(.*?)^```$/ms.exec(text) ?? []
  return example
}
