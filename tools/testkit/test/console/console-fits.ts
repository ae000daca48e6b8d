// Checks every page and window of the console on narrow and wide screens: nothing is outside the screen, and the
// borders of fields and buttons are visible.
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { scale } from '../../src/scale.ts'
import type { consoleHands } from './console-hands.ts'

/** 390: a phone. 768: a tablet. 640 and 720: screens of 1280 and 1440 pixels at a zoom of 200 %. 1440: a desktop. */
const widths = [390, 768, 640, 720, 1440].slice(0, scale(5, 2))
const height = 800

export function fittingTests(hands: ReturnType<typeof consoleHands>) {
  const { page, goTo, button, seen } = hands

  const inWindow = async (
    name: string,
    opening: string,
    check: (where: string) => Promise<void>,
  ) => {
    await button(opening).first().click()
    await page().getByRole('dialog').waitFor()
    await check(name)
    await page().keyboard.press('Escape')
    await page().getByRole('dialog').waitFor({ state: 'detached' })
  }

  /** Opens every page and window of the console. */
  async function everywhere(check: (where: string) => Promise<void>): Promise<void> {
    await goTo('Streams')
    await page().getByRole('region', { name: 'Stream clicks' }).waitFor()
    await page().getByText('Outputs: levels, retention and topics').click()
    await check('streams')
    await inWindow('new stream', 'New stream', check)
    await inWindow('new output', 'New output', async (where) => {
      await seen(/Of the newest [\d,]+ events/)
      await check(where)
    })
    await inWindow('delete', 'Delete clicks', check)
    await inWindow('rebuild', 'Rebuild clicks-1', check)
    await goTo('Live')
    await seen('Waiting for events of')
    await check('live')
    await inWindow('test event', 'Send a test event', check)
    await goTo('Contracts')
    await page().getByRole('link', { name: 'clickstream', exact: true }).click()
    await button('Send to clicks').waitFor()
    await check('contracts')
    await goTo('Usage')
    await seen('Events stored')
    await check('usage')
    await goTo('People')
    await page().getByLabel('Find a person').fill('many-3')
    await button('Search all streams').click()
    await seen(/events? found for many-3/)
    await check('people')
    await inWindow('withdraw', 'Withdraw a consent …', check)
    await inWindow('erase', 'Erase …', check)
    await inWindow('erase many', 'Erase many people …', check)
    await page().getByLabel('Find a person').fill('unknown-1')
    await button('Search all streams').click()
    await inWindow('record', 'Record that nothing was found in clicks', check)
    await goTo('Erasures')
    await page().getByText('TICKET-7').waitFor()
    await check('erasures')
  }

  const fits = async (where: string) =>
    expect({ where, outside: await page().evaluate(outside) }).toEqual({ where, outside: [] })

  async function at(width: number, check: () => Promise<void>): Promise<void> {
    const before = page().viewportSize()
    await page().setViewportSize({ width, height })
    await check()
    if (before !== null) await page().setViewportSize(before)
  }

  test.each(widths)('every page and window fits on a screen of %i pixels', (width) =>
    at(width, () => everywhere(fits)),
  )

  test('streams that are not connected fit on a phone', async () => {
    let isAway = true
    await page().routeWebSocket(/./, (socket) => {
      if (isAway) void socket.close()
      else socket.connectToServer()
    })
    await goTo('Streams')
    await at(390, async () => {
      await goTo('Live')
      await page().locator('.trouble').nth(3).waitFor()
      await fits('live, not connected')
    })
    isAway = false
  })

  test('the borders of fields and buttons are seen: 3 to 1 in light and in dark', async () => {
    await everywhere(async (where) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page().emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const faint = await faintBorders(page())
        expect({ where, colorScheme, faint }).toEqual({ where, colorScheme, faint: [] })
      }
      await page().emulateMedia({ colorScheme: null, reducedMotion: null })
    })
  })
}

const faintBorders = (page: Page): Promise<unknown> => page.evaluate(faint)

// The next two scripts run in the page. Content of a scrolling region may be wider than the screen.
const outside = `
  (() => {
    const root = document.querySelector('dialog[open]') ?? document.body
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
    const out = [...root.querySelectorAll('*'), root].filter((element) => {
      if (element.closest('.scroller, .events, .chart, pre, .unseen, .skip, option')) return false
      const { left, right, width } = element.getBoundingClientRect()
      return width > 0 && (left < -1 || right > innerWidth + 1)
    })
    return [...(wide > 0 ? ['the page scrolls sideways by ' + wide] : []), ...out.map((element) => element.outerHTML.slice(0, 120))]
  })()
`
const faint = `
  (() => {
    const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number)
    const light = ([red, green, blue]) => {
      const [r, g, b] = [red, green, blue].map((one) => one / 255).map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const isClear = (colour) => parts(colour)[3] === 0
    const behind = (element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at)
        if (!isClear(backgroundColor)) return backgroundColor
      }
      return 'rgb(255, 255, 255)'
    }
    const root = document.querySelector('dialog[open]') ?? document.body
    return [...root.querySelectorAll('input, select, textarea, button, .button')].flatMap((element) => {
      const { borderTopColor, borderTopWidth } = getComputedStyle(element)
      const isNative = ['checkbox', 'file', 'radio'].includes(element.type)
      if (isNative || element.disabled || borderTopWidth === '0px' || isClear(borderTopColor)) return []
      const [a, b] = [light(parts(borderTopColor)), light(parts(behind(element)))]
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      return ratio >= 3 ? [] : [ratio.toFixed(2) + ' ' + element.outerHTML.slice(0, 100)]
    })
  })()
`
