// Searches the documents that auth serves, with the keyboard, in a browser.
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { problemsOf } from '../../src/world/browser.ts'

export type DocumentsScene = { readonly page: Page; readonly authUrl: string }

export function documentTests(scene: () => DocumentsScene): void {
  test('a search of the documents, with the keyboard alone, finds a guide and opens it', async () => {
    const page = await scene().page.context().newPage()
    const problems = problemsOf(page)
    await page.goto(`${scene().authUrl}/docs`)
    await page.keyboard.press('/')
    await page.keyboard.type('erase person')
    const results = page.getByRole('list', { name: 'Results' }).getByRole('link')
    await results.filter({ hasText: 'Forgetting' }).first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Forgetting' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/docs/forgetting.html')
    expect(problems).toEqual([])
    await page.close()
  })
}
