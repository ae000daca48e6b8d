// An output whose readers decrypt is created, watched and rebuilt. A person who shares a device with others is erased.
import { expect, test } from '@jest/globals'
import { expectStatus } from '../../src/index.ts'
import type { Account, World } from '../../src/index.ts'
import { sendFor } from './console-hands.ts'
import type { consoleHands } from './console-hands.ts'

export type ReadersScene = { readonly world: World; readonly account: Account }

export function readersOutputTests(
  scene: () => ReadersScene,
  hands: ReturnType<typeof consoleHands>,
) {
  const { page, goTo, button, seen, find, fill, expectAccessible } = hands

  test('an output whose readers decrypt is made, shown as such, and seen decrypted live', async () => {
    await scene().account.input('lakes')
    await goTo('Contracts')
    await goTo('Streams')
    const card = page().getByRole('region', { name: 'Stream lakes' })
    await card.getByRole('button', { name: 'New output' }).click()
    await page().getByRole('textbox', { name: 'Name' }).fill('lake')
    await page().getByLabel('Readers decrypt (erasure reaches copies)').check()
    await expectAccessible('new output')
    await button('Create output').click()
    await seen('Created lake')
    await page().keyboard.press('Escape')
    await card.locator('.picture').getByText('readers decrypt level 0', { exact: true }).waitFor()
    await card.getByText('Outputs: levels, retention and topics').click()
    await card.getByText('by readers, who keep keys for 300 s').waitFor()
    await card.getByRole('link', { name: 'Watch live' }).click()
    await seen('Waiting for events of')
    await button('Send a test event').click()
    await fill({ 'customer/id': 'customer-00043', producerSessionId: 'session-lake' })
    await button('Send to lakes').click()
    const row = page().getByRole('row', { name: /^customer\/id/ })
    await row.getByText('decrypted').waitFor({ timeout: 60_000 })
    expect(await row.getByText('customer-00043').count()).toBe(2) // in the sent event and the output's event
    await goTo('People')
    await find('session-lake')
    await seen(
      "encrypted: all personal fields; readers with this output's credentials can decrypt up to level 0",
    )
  })

  test('who erases a person beside a device reads that all events of the device are erased', async () => {
    await scene().account.contract('clickstream', {
      id: 'visits',
      data_subject_field: 'customer/id',
    })
    await sendFor(scene(), 'shared-device', 1, 'lakes', 'visits')
    await goTo('Contracts')
    await goTo('People')
    await find('customer-00042')
    await seen(
      /^1 event of visits, with this value in customer\/id, or with the same producerSessionId as such an event, /,
    )
    await button('Show whom these events name').click()
    await seen('In 1 event: this value in 1.')
    await page().getByRole('rowheader', { name: 'shared-device' }).waitFor()
    const downloads = page().getByRole('group', { name: 'Downloads' })
    expect(await downloads.getByLabel('leave out events that name somebody else').isChecked()).toBe(
      true,
    )
    await downloads.getByLabel('have only events that name this person').check()
    for (const [opening, done] of [
      ['Erase …', 'erased'],
      ['Withdraw a consent …', 'changed'],
    ] as const) {
      await button(opening).click()
      await seen('This may reach events of other people.')
      await seen(`Events are ${done} by producerSessionId, such as a device or a session.`)
      await seen(`occur in 1 event of visits: all of them are ${done}, also those that name other`)
      await page().locator('dialog').getByRole('button', { name: 'Show whom' }).click()
      await page().locator('dialog').getByText('In 1 event: this value in 1.').waitFor()
      await button('Cancel').click()
    }
  })

  test('while readers may use old keys, the page says that the request is not applied, and names their output', async () => {
    const asked = { subject: 'customer-00042' }
    const made = await scene().account.call('POST', '/v2/streams/lakes/erasures', asked)
    expect(expectStatus(made, 201).body).toMatchObject({
      outputs: [],
      readers: [{ name: 'lake', levels: [0], keyMaxAgeSeconds: 300 }],
    })
    await find('shared-device')
    await seen(/^At the time of this search a request in this stream was not yet applied by all/)
    await page().getByRole('link', { name: 'See the requests in lakes' }).click()
    await seen('They get no new keys for this, but may use those that they have for 5 minutes.')
  })

  test('an output is rebuilt once its name has been typed', async () => {
    await goTo('Streams')
    const card = page().getByRole('region', { name: 'Stream lakes' })
    await card.getByText('Outputs: levels, retention and topics').click()
    await button('Rebuild lake').click()
    expect(await page().locator('dialog button.danger').isDisabled()).toBe(true)
    await page().getByLabel('Type lake to confirm').fill('lake')
    await expectAccessible('rebuilding')
    await page().locator('dialog button.danger').click()
    await seen(/, rebuilt \d+ \w+ \d{4}/)
    await goTo('Contracts')
    for (const path of ['lakes/outputs/lake', 'lakes'])
      expectStatus(await scene().account.call('DELETE', `/v2/streams/${path}`), 200)
  })
}
