// Opens the console in a real headless Chromium. Reports errors, long tasks, memory, and the accessibility findings of
// axe.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import type { Page } from 'playwright-core'

export type ConsolePage = {
  readonly page: Page
  /** Errors of the page, and violations of its content security policy. */
  readonly problems: readonly string[]
  /** Returns axe's findings on the current page, in this colour scheme. */
  axeFinds(scheme: 'light' | 'dark'): Promise<string[]>
  /** Returns the longest task since the page was loaded, or since the last call. */
  longestTaskMs(): Promise<number>
  heapBytes(): Promise<number>
  close(): Promise<void>
}

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Returns the path of Chromium, or undefined if it isn't installed. */
export const chromiumProgram = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(existsSync)

const devices = {
  desk: { viewport: { width: 1360, height: 850 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
}

export async function openConsole(
  program: string,
  url: string,
  device: keyof typeof devices = 'desk',
): Promise<ConsolePage> {
  // Loaded here, because otherwise all tests would load these eight megabytes of source.
  const { default: axe } = await import('axe-core')
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath: program })
  const context = await browser.newContext(devices[device])
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems = problemsOf(page)
  await page.addInitScript(watchTasks)
  const devtools = await context.newCDPSession(page)
  await page.goto(url)
  return {
    page,
    problems,
    async axeFinds(scheme) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.evaluate(axe.source)
      const found: unknown = await page.evaluate(runAxe)
      await page.emulateMedia({ colorScheme: null, reducedMotion: null })
      return Array.isArray(found) ? found.map(String) : ['axe gave no list']
    },
    async longestTaskMs() {
      return Number(
        await page.evaluate(
          '(() => { const most = window.longestTaskMs; window.longestTaskMs = 0; return most })()',
        ),
      )
    },
    async heapBytes() {
      return Number(Object((await devtools.send('Runtime.getHeapUsage')).usedSize))
    },
    close: () => browser.close(),
  }
}

/** Returns a list that grows while the page is open. */
export function problemsOf(page: Page): readonly string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // A response with a 4xx status is no problem: the page itself shows it.
    if (message.type() !== 'error' || /status of 4\d\d/.test(message.text())) return
    problems.push(message.text())
  })
  return problems
}

// These two scripts run in the page, so they can't use anything of this file.
const watchTasks = `
  window.longestTaskMs = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      window.longestTaskMs = Math.max(window.longestTaskMs, duration)
  }).observe({ type: 'longtask', buffered: true })
`
const runAxe = `
  axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))
`
