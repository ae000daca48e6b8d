import { expect, test } from '@jest/globals'
import { renderMarkdown } from '../src/markdown.ts'

test('raw HTML in a document is shown, and never becomes a tag', () => {
  const { html } = renderMarkdown('Hello <script>alert(1)</script>\n\n<img src=x onerror=y>\n')
  expect(html).not.toMatch(/<(script|img)/)
  expect(html).toContain('&lt;script&gt;')
})

test('headings get the ids that links on GitHub use, each its own', () => {
  const { headings, title } = renderMarkdown('# A walk, by `hand`\n\n## Why\n\n## Why\n')
  expect(title).toBe('A walk, by hand')
  expect(headings.map(({ id }) => id)).toEqual(['a-walk-by-hand', 'why', 'why-1'])
})

test('links lead where they are told to, and can not end their attribute', () => {
  const { html } = renderMarkdown('[x](a.md#b)', (href) => `${href.replace('.md', '.html')}"`)
  expect(html).toContain('href="a.html#b&quot;"')
})
