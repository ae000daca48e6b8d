// A stranger without an account checks a receipt, a value and a salt on auth's page /verify.
import { expect } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import { problemsOf } from '../../src/world/browser.ts'

type Papers = {
  /** The receipt for session-0001. */
  readonly receipt: string
  readonly salt: string
  /** The file with the salt of session-0002. */
  readonly note: string
}

export async function strangerReads(
  context: BrowserContext,
  address: string,
  { receipt, salt, note }: Papers,
): Promise<void> {
  const stranger = await context.newPage()
  const problems = problemsOf(stranger)
  try {
    await stranger.setViewportSize({ width: 390, height: 844 })
    await stranger.goto(address)
    const check = async (text: string, value = '', itsSalt = '') => {
      await stranger.getByLabel('The receipt').fill(text)
      await stranger.getByLabel('Whom it should be about').fill(value)
      await stranger.getByLabel('The salt').fill(itsSalt)
      await stranger.getByRole('button', { name: 'Check' }).click()
    }
    const says = async (text: string | RegExp) => stranger.getByText(text).first().waitFor()
    // Each verdict has its own words and its own sign, not only its colour.
    const verdict = async (kind: 'good' | 'other' | 'bad', title: string) => {
      const heading = stranger.locator(`.verdict.${kind}`).getByRole('heading', { name: title })
      await heading.waitFor()
      const place = await heading.boundingBox()
      expect(place?.y).toBeGreaterThanOrEqual(0)
      expect(place?.y).toBeLessThan(800) // visible without scrolling, also on a phone
      expect((await heading.innerText()).charAt(0)).toBe({ good: '✔', other: '⚠', bad: '✖' }[kind])
    }
    await check(receipt)
    await verdict('good', 'The receipt is genuine')
    await says('It does not name the person.')
    await stranger.getByRole('heading', { name: 'Erasure of one person' }).waitFor()
    await says(
      /^On .* Weir received the request to erase one person from the stream clicks of the account/,
    )
    await says(/found \d+ events: \d+ of clickstream, where producerSessionId names the person/)
    await says(/^The output clicks-1 may contain values that it decrypted before: until .* UTC/)
    await says(
      /^Since .*, no program of Weir decrypts any personal field .* in producerSessionId \(of clickstream/,
    )
    await says('What it does not say')
    await says(/^Anything about events that name the person only in other fields/)
    const keys = stranger.getByRole('link', { name: /\/\.well-known\/jwks\.json$/ })
    expect((await stranger.request.get((await keys.textContent()) ?? '')).status()).toBe(200)
    await check(receipt, 'session-0001', salt)
    await says('It is about the value that you entered: session-0001')
    // with line ends, as on paper
    await check(receipt.replace(/.{60}/g, '$&\n'), 'session-0001', salt)
    await says('It is about the value that you entered: session-0001')
    await check(`Dear Ann,\nhere it is: ${receipt}\nBye`, 'session-0001', salt)
    await says('It is about the value that you entered: session-0001')
    await check(receipt, 'session-0001', `  Salt: ${salt}\n`)
    await says('It is about the value that you entered: session-0001')
    await check(note)
    await says('This is the file with the salt, not the receipt')
    await says(/^Choose the receipt\. Its name ends with receipt-[\w-]{36}\.jws\./)
    expect(await stranger.getByLabel('Whom it should be about').inputValue()).toBe('session-0002')
    for (const [text, title, use] of [
      [
        'value,reference,due,stream,events,outputs,outputs_keep_until,erasure,salt,problem\nann,,,c,1,,,e,s,',
        'These are the results of a file of people, not a receipt',
        /Enter those of a line below\. A receipt is a file such as receipt-/,
      ],
      [
        '\uFEFFkind,reference,id,stream,events,accepted,due,state,completed,outputs_keep_until',
        'This is the list of requests, not a receipt',
        /^A receipt is a file such as receipt-….jws/,
      ],
      [
        'PK\u0003\u0004 …',
        'This is a zip file, not a receipt',
        /^Unpack it: it contains a receipt for each request\. Then choose one of them\. A receipt/,
      ],
      ['%PDF-1.7', 'This is not a receipt', /^A receipt is a file such as receipt-….jws/],
    ] as const) {
      await check(text)
      await says(title)
      await says(use)
      const [name, buffer] = ['other.csv', Buffer.from(text)]
      await stranger.getByLabel('or choose the file').setInputFiles([])
      await stranger.getByLabel('The receipt').fill(receipt)
      await stranger
        .getByLabel('or choose the file')
        .setInputFiles({ name, mimeType: 'text/csv', buffer })
      await says(title)
      expect(await stranger.getByLabel('The receipt').inputValue()).toBe('')
      expect(await stranger.getByLabel('or choose the file').inputValue()).toBe('')
    }
    expect(problems).toEqual([])
    await check(receipt, 'session-0002', salt)
    await verdict('other', 'The receipt is genuine, but not about this value')
    await says('It is not about the value that you entered')
    await check(receipt, 'session-0001')
    await says('Enter both the value and the salt, or neither')
    await check(`${receipt.slice(0, -4)}AAAA`)
    await verdict('bad', 'The receipt is not valid: it was changed, or is not complete')
    const [, ...rest] = receipt.split('.')
    const head = { alg: 'ES256', typ: 'weir-receipt+jws', kid: 'of another Weir' }
    const other = [Buffer.from(JSON.stringify(head)).toString('base64url'), ...rest].join('.')
    await check(other)
    await verdict('bad', 'The receipt is not valid here: this Weir did not sign it')
    await check('eyJhbGciOiJub25lIn0.eyJqdGkiOiIxIn0.AAAA')
    await verdict('bad', 'This is not a receipt, or it is incomplete or was changed')
  } finally {
    await stranger.close()
  }
}
