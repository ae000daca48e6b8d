// Auth serves the documents: the start page, every page of the index, and the search index. It serves no other file of
// the machine.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { siteFolder } from '@weir/docs'
import { buildSite } from '@weir/docs/site'
import { joinAuth, problem, send } from '../support.ts'
import type { SharedAuth } from '../support.ts'

let auth: SharedAuth
beforeAll(async () => {
  await buildSite(siteFolder)
  auth = await joinAuth()
})
afterAll(() => auth.stop())

const ask = (path: string) => send(`${auth.url}${path}`)

describe('the documents at /docs', () => {
  test('are where the address of auth leads to', async () => {
    for (const path of ['/', '/docs', '/docs/'])
      expect((await ask(path)).text).toContain('<h2>Producers</h2>')
  })

  test('have a page behind every link of the index, with and without .html', async () => {
    const { text } = await ask('/docs')
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href)
    expect(links.length).toBeGreaterThan(100)
    expect(links).toEqual(expect.arrayContaining(['openapi/auth.html', 'guide/producers.html']))
    for (const href of new Set(links))
      for (const path of [href, href.replace(/\.html$/, '')]) {
        const { status, headers } = await ask(`/docs/${path}`)
        expect([path, status, headers.get('content-type')]).toEqual([
          path,
          200,
          'text/html; charset=utf-8',
        ])
      }
  })

  test('may run their own script alone', async () => {
    const { headers } = await ask('/docs/guide/producers')
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "script-src 'self'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('have an index for the search, in which there is something about erasing', async () => {
    const { text, headers } = await ask('/docs/search-index.js')
    expect(headers.get('content-type')).toMatch(/^(text|application)\/javascript/)
    expect(text).toMatch(/"href":"forgetting\.html[^}]*\berase\b/)
  })

  test('have no icon, which browsers ask for, and that is no error', async () => {
    expect((await ask('/favicon.ico')).status).toBe(204)
  })

  test('show a runbook at the address that alerts link to', async () => {
    expect((await ask('/docs/runbooks/WeirServiceDown.md')).text).toContain('<h1')
  })

  test('are all that is served: a path that leaves them, a hidden file or an unknown page is 404', async () => {
    const paths = [
      '..%2f..%2fpackage.json',
      '%2e%2e/%2e%2e/README',
      '..%5cdemo',
      '.x',
      'no',
      'errors/no',
      'guide',
    ]
    for (const path of [...paths, '..%2fplatform-key', 'guide/..%2f..%2f..%2fREADME.md', '%00'])
      expect([path, (await ask(`/docs/${path}`)).json]).toEqual([path, problem(404, 'not_found')])
  })
})
