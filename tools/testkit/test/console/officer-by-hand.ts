// The officer's day again, with only the keyboard, and by touch on a phone.
import { expect, test } from '@jest/globals'
import { expectStatus, openConsole, textIn } from '../../src/index.ts'
import type { Account, ConsolePage, World } from '../../src/index.ts'
import type { Locator, Page } from 'playwright-core'
import { sendFor, takePicture } from './console-hands.ts'

export type Ground = { readonly world: World; readonly account: Account; readonly program: string }

type Hand = {
  press(what: Locator): Promise<void>
  check(what: Locator): Promise<void>
  write(where: Locator, text: string): Promise<void>
}

/** Every control must be reachable with fewer presses of Tab than this. */
const tabsMax = 100

function keyboard(page: Page): Hand {
  const reach = async (what: Locator): Promise<void> => {
    await what.waitFor()
    for (let presses = 0; presses < tabsMax; presses += 1) {
      if (await what.evaluate((element) => element.matches(':focus'))) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`the keyboard does not reach ${String(what)}`)
  }
  const pressing = (key: string) => async (what: Locator) => {
    await reach(what)
    await page.keyboard.press(key)
  }
  return {
    press: pressing('Enter'),
    check: pressing('Space'),
    async write(where, text) {
      await reach(where)
      await page.keyboard.insertText(text)
    },
  }
}

const touch = (): Hand => ({
  press: (what) => what.tap(),
  check: (what) => what.tap(),
  async write(where, text) {
    await where.tap()
    await where.fill(text)
  },
})

async function expectRoomy({ page, axeFinds }: ConsolePage, where: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    expect({ where, found: await axeFinds(scheme) }).toEqual({ where, found: [] })
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect({ where, wide: await page.evaluate(wide) }).toEqual({ where, wide: 0 })
    if (where === 'phone-people' && scheme === 'light') await takePicture(page, where, scheme)
  }
}

async function dayOf(
  weir: ConsolePage,
  hand: Hand,
  about: { apiKey: string; person: string; name: string },
) {
  const { page } = weir
  const { apiKey, person, name } = about
  const button = (label: string) => page.getByRole('button', { name: label, exact: true })
  const seen = (text: string | RegExp) => page.getByText(text).first().waitFor()
  const keepSalt = async (): Promise<void> => {
    await hand.press(button('Copy the salt'))
    await seen('Copied')
    await hand.press(button('Close'))
  }
  await hand.write(page.getByLabel('API key'), apiKey)
  await hand.press(button('Sign in'))
  await hand.write(page.getByLabel('Find a person'), person)
  await hand.press(button('Search all streams'))
  await seen(/^3 events found for person-by-\w+\.$/)
  await expectRoomy(weir, `${name}-people`)

  const downloading = page.waitForEvent('download')
  await hand.press(button('Download as a spreadsheet (CSV)'))
  expect((await downloading).suggestedFilename()).toBe(`${person}-clicks.csv`)

  await hand.press(button('Withdraw a consent …'))
  await hand.check(page.getByLabel(/^Level 2 /))
  await hand.write(page.getByLabel(/^Type \S+ to confirm/), person)
  await expectRoomy(weir, `${name}-withdraw`)
  await hand.press(button('Withdraw'))
  await keepSalt()
  await seen('Withdrawn: level 2 (marketing e-mails).')

  await hand.press(button('Erase …'))
  await hand.write(page.getByLabel(/^Type \S+ to confirm/), person)
  await hand.press(button('Erase'))
  await seen('Keep the salt: it is shown only once.')
  await expectRoomy(weir, `${name}-salt`)
  await keepSalt()
  await seen(/^Erased(, by a request .*)?: (as soon as .*, )?no service of Weir decrypts/)

  await hand.press(page.getByRole('link', { name: 'Erasures', exact: true }))
  await seen(/^(Erasing 1 person|1 person erased)$/)
  await expectRoomy(weir, `${name}-erasures`)
  await hand.press(button('Sign out'))
  await page.getByLabel('API key').waitFor()
  expect(weir.problems).toEqual([])
}

export function officerByHandTests(ground: () => Ground): void {
  test.each([
    { by: 'the keyboard alone', device: 'desk', name: 'desk' },
    { by: 'touch on a phone', device: 'phone', name: 'phone' },
  ] as const)("an officer's whole day, by $by", async ({ device, name }) => {
    const { account, program, world } = ground()
    const person = `person-by-${name}`
    await sendFor(ground(), person, 3)
    const asked = { name: `office ${name}`, role: 'officer' }
    const made = await account.call('POST', '/v2/api-keys', asked)
    const apiKey = textIn(expectStatus(made, 201).body, 'apiKey')
    const weir = await openConsole(program, `${world.output.url}/console`, device)
    try {
      const hand = device === 'desk' ? keyboard(weir.page) : touch()
      await dayOf(weir, hand, { apiKey, person, name })
    } finally {
      await weir.close()
    }
  })
}
