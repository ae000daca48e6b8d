// Helpers for the console's tests: they start services, use the page's controls, take pictures, and send events.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect } from '@jest/globals'
import { freePort } from '@weir/devstack'

import { asObject, connectProducer, exampleEvent } from '../../src/index.ts'
import type { Account, ConsolePage, World } from '../../src/index.ts'
import type { Locator, Page } from 'playwright-core'
import { scale } from '../../src/scale.ts'
import type { OwnStack } from '../../src/world/own-stack.ts'
import { compiledBefore } from '../../src/world/run-program.ts'

/** `npm test` uses only the first scheme. */
const schemes = (['light', 'dark'] as const).slice(0, scale(2, 1))
const takesScreenshots = process.env['WEIR_SCREENSHOTS'] === '1'
const run = promisify(execFile)
const cli = join(import.meta.dirname, '../../../../clients/cli/bin/weir.js')
const images = join(import.meta.dirname, '../../../../docs/images')

/**
 * Kafka rolls segments of `weir.keys`, and compacts the topic, within seconds, so that erasures complete during the
 * test.
 */
const keysConfig = {
  'cleanup.policy': 'compact',
  'segment.ms': '2500',
  'max.compaction.lag.ms': '1000',
  'min.compaction.lag.ms': '0',
  'min.cleanable.dirty.ratio': '0.01',
  'file.delete.delay.ms': '500',
  'max.message.bytes': '4194304',
}

/** Starts the services with fixed addresses, which the browser can reach. */
export async function startConsoleWorld(own: OwnStack): Promise<World> {
  const [auth, ingest, output] = [await freePort(), await freePort(), await freePort()]
  const at = (port: number) => `http://127.0.0.1:${port}`
  await own.reader.admin.topics.create({ topic: 'weir.keys', partitions: 1, config: keysConfig })
  return own.startWorld({
    AUTH_PORT: String(auth),
    INGEST_PORT: String(ingest),
    OUTPUT_PORT: String(output),
    CONSOLE_ORIGINS: at(output),
    CONSOLE_AUTH_URL: at(auth),
    CONSOLE_INGEST_URL: at(ingest),
  })
}

/** Does nothing unless WEIR_SCREENSHOTS=1. */
export async function takePicture(page: Page, name: string, colorScheme: 'light' | 'dark') {
  if (!takesScreenshots) return
  await page.emulateMedia({ colorScheme })
  await page.screenshot({ path: join(images, `console-${name}-${colorScheme}.png`) })
  await page.emulateMedia({ colorScheme: null })
}

/** Returns a person's actions on the page. */
export function consoleHands(weir: () => ConsolePage) {
  const page = () => weir().page
  const goTo = async (name: string) =>
    page().getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click()
  const button = (name: string) => page().getByRole('button', { name, exact: true })
  const seen = async (text: string | RegExp) => page().getByText(text).first().waitFor()

  /** Checks that the text of a refusal is shown only once. */
  async function saidOnce(text: string): Promise<void> {
    await seen(text)
    expect(await page().getByText(text).count()).toBe(1)
    expect(await page().locator('.problems').count()).toBeLessThan(2)
  }

  /** Fills in values, by the labels of the fields. */
  async function fill(values: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(values)) await page().getByLabel(label).fill(value)
  }

  async function find(value: string): Promise<void> {
    await page().getByLabel('Find a person').fill(value)
    await button('Search all streams').click()
  }

  /** Types the confirmation that irreversible actions need. */
  const confirm = (text: string) =>
    page()
      .getByLabel(/^Type \S+.* to confirm/)
      .fill(text)

  async function downloaded(name: string, folder: string): Promise<string> {
    const downloading = page().waitForEvent('download')
    await button(name).click()
    const file = join(folder, 'downloaded')
    await (await downloading).saveAs(file)
    return readFile(file, 'utf8')
  }

  /** Takes a picture of the page for the documents. */
  async function picture(name: string, schemes: readonly ('light' | 'dark')[] = ['light']) {
    for (const scheme of schemes) await takePicture(page(), name, scheme)
  }

  async function expectAccessible(where: string): Promise<void> {
    for (const scheme of schemes)
      expect({ where, scheme, found: await weir().axeFinds(scheme) }).toEqual({
        where,
        scheme,
        found: [],
      })
  }

  const decryptedOutputs = (erasure: Locator) =>
    erasure.getByRole('region', { name: 'Outputs with decrypted values' })

  const reading = { page, seen, saidOnce, picture, expectAccessible, decryptedOutputs }
  return { ...reading, goTo, button, fill, find, confirm, downloaded }
}

/** Checks that the confirmation field is visible on a small screen, and, with the focus, on smaller screens. */
export async function expectUncovered(page: Page): Promise<void> {
  const before = page.viewportSize()
  for (const height of [800, 720, 680, 640, 600, 560]) {
    await page.setViewportSize({ width: 1280, height })
    await page.getByRole('button', { name: 'Close' }).focus()
    const front = await page.evaluate(inFront(height < 800))
    expect({ height, front }).toEqual({ height, front: [] })
  }
  if (before !== null) await page.setViewportSize(before)
}

// Returns a script for the page, which returns what covers the field at its edges.
const inFront = (isFocused: boolean): string => `
  (() => {
    const field = document.querySelector('dialog input[spellcheck=false]')
    document.querySelector('dialog').scrollTo(0, 0)
    if (${isFocused}) field.focus()
    const { left, top, bottom } = field.getBoundingClientRect()
    return [top + 1, bottom - 1]
      .map((y) => document.elementFromPoint(left + 9, y))
      .filter((front) => front !== field)
      .map((front) => front?.outerHTML.slice(0, 120) ?? 'outside the screen')
  })()
`

/** Checks that the cells of each row are beside each other. */
export async function expectInRows(page: Page): Promise<void> {
  const tops = '(row) => new Set([...row.cells].map((cell) => cell.getBoundingClientRect().top))'
  const stacked = `[...document.querySelectorAll('tbody tr')].map(${tops}).map(({ size }) => size)`
  expect(new Set(await page.evaluate<number[]>(stacked))).toEqual(new Set([1]))
}

/** Sends events of one person, with consent for the levels 0, 1, 2 and 5. No output has level 5. */
export async function sendFor(
  { world, account }: Pick<Scene, 'world' | 'account'>,
  person: string,
  count: number,
  stream = 'clicks',
  contract = 'clickstream',
): Promise<void> {
  const { token, revoke } = await sender(account, stream)
  const producer = await connectProducer(world.ingest.url)
  const example = await exampleEvent('clickstream')
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2, 5] }
  const event = { ...example, svcMeta, producerSessionId: person }
  for (let sent = 0; sent < count; sent += 1)
    expect(await producer.send(event, { token, schemaId: contract })).toMatchObject({
      status: 204,
    })
  producer.close()
  await revoke()
}

/** Creates credentials for sending. Returns a token, and a function that revokes the credentials. */
async function sender(account: Account, stream: string) {
  const credentials = `/v2/streams/${stream}/credentials`
  const { body } = await account.call('POST', credentials, { scope: 'send' })
  const clientId = String(body['clientId'])
  const token = await account.token({ clientId, clientSecret: String(body['clientSecret']) })
  const revoke = () => account.call('DELETE', `${credentials}/${clientId}`)
  return { token, revoke }
}

type Scene = { readonly world: World; readonly account: Account; readonly weir: ConsolePage }

export type Load = { readonly perSecond: number; isOver(seconds: number): boolean }

/** Sends events until `isOver`. Returns the page's peak memory. */
export async function sendClicks(
  { world, account, weir }: Scene,
  { perSecond, isOver }: Load,
): Promise<number> {
  const { token, revoke } = await sender(account, 'clicks')
  const producer = await connectProducer(world.ingest.url)
  const event = await exampleEvent('clickstream')
  const lines = Array.from({ length: Math.ceil(perSecond / 10) }, (_, index) => {
    const consentLevels = [0, 1, 2].slice(0, 3 - (index % 3))
    const url = `https://shop.example.com/products/${1_000 + index}`
    return JSON.stringify({
      ...event,
      url,
      svcMeta: { ...asObject(event['svcMeta']), consentLevels },
    })
  })
  const batch = `${lines.join('\n')}\n`
  const options = {
    token,
    schemaId: 'clickstream',
    path: '/events',
    headers: { 'content-type': 'application/x-ndjson' },
  }
  let most = 0
  try {
    const startedAt = performance.now()
    for (let sent = 0; !isOver(sent / 10); sent += 1) {
      expect((await producer.send(batch, options)).status).toBe(200)
      if (sent % 10 === 0) most = Math.max(most, await weir.heapBytes())
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(0, startedAt + sent * 100 - performance.now())),
      )
    }
  } finally {
    producer.close()
    await revoke()
  }
  return most
}

/** Fetches auth's public keys, and verifies a receipt with them and the CLI alone. Returns the CLI's output. */
export async function verifiedReceipt(
  { own, world }: { readonly own: OwnStack; readonly world: World },
  file: string,
  about: readonly string[],
): Promise<unknown> {
  const keys = join(own.folder, 'keys.json')
  await writeFile(keys, await (await fetch(`${world.auth.url}/.well-known/jwks.json`)).text())
  const args = ['erasure', 'verify', file, '--jwks', keys, ...about, '-o', 'json']
  const options = { cwd: own.folder, env: compiledBefore() }
  const { stdout } = await run(process.execPath, [cli, ...args], options)
  return JSON.parse(stdout)
}
