// The search of the site, as a reader's browser runs it: which sections a question finds, the best first.
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import type { SearchEntry } from '../../src/site/search-index.ts'

const script = new URL('../../src/site/search.js', import.meta.url)

/** A page that does nothing. The script adds its field to it. */
const page: unknown = new Proxy(() => undefined, { get: () => page, apply: () => page })

function found(entries: readonly SearchEntry[], question: string): unknown {
  const context = createContext({ document: page, entries, question })
  runInContext(readFileSync(script, 'utf8'), context)
  return runInContext('hitsOf(entries, question).map(({ href }) => href).join()', context)
}

const entry = (href: string, heading: string, text: string): SearchEntry => ({
  href,
  page: 'Page',
  heading,
  text,
  isGuide: false,
})

const entries = [
  entry('tools/run.html', 'Retention', 'retention'),
  entry('cli.html', 'weir stream update', 'with --retention-hours and retention events'),
  entry('faq.html', 'How long are events kept?', 'Until their retention ends.'),
  entry('keys.html', 'Key retention', 'How long keys are kept.'),
]

test.each([
  ['retention', 'keys.html,cli.html,faq.html,tools/run.html'],
  ['retention-hours', 'cli.html'],
  ['How long are the events kept?', 'faq.html'],
  ['what does retention mean', 'keys.html,cli.html,faq.html,tools/run.html'],
  ['retenton kept', 'faq.html,keys.html'],
  ['retnetion kept', 'faq.html,keys.html'],
  ['kepd', ''],
  ['nothing like it', ''],
  ['', ''],
  ['how', 'faq.html,keys.html'],
])('«%s» finds %s', (question, hrefs) => {
  expect(found(entries, question)).toBe(hrefs)
})
