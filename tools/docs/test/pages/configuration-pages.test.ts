// The settings' pages match the code, and every setting refuses invalid values.
import { describe, expect, test } from '@jest/globals'
import { listConfigKeys, loadConfig } from '@weir/kit'

import {
  configurationPageOf,
  configurationPages,
  pagePathOf,
  schemaOf,
  servicesConfigured,
} from '../../src/pages/configuration-pages.ts'
import { readDocument } from '../../src/documents.ts'

/** A value that is invalid for every kind of setting. */
const WRONG = ',\u0007 hunter2'

test.each(configurationPages)(
  'the page %s has the settings as the code has them; npm run docs writes it anew',
  async (page) => {
    expect(await readDocument(pagePathOf(page))).toBe(await configurationPageOf(page))
  },
)

test('every setting of a service is in its own page or in that of all services, and not in both', async () => {
  const shared = await configurationPageOf('all')
  for (const service of servicesConfigured) {
    const own = await configurationPageOf(service)
    for (const { key } of listConfigKeys(await schemaOf(service)))
      expect([key, [own, shared].filter((page) => page.includes(`- \`${key}\` (`)).length]).toEqual(
        [key, 1],
      )
  }
})

describe.each(servicesConfigured)('the settings of %s', (service) => {
  test('are described one and all, with a unit', async () => {
    for (const { key, unit, description } of listConfigKeys(await schemaOf(service))) {
      expect([key, unit, description]).toEqual([
        key,
        expect.any(String),
        expect.stringMatching(/./),
      ])
    }
  })

  test('are secret when their names sound so, unless they name a file', async () => {
    const keys = listConfigKeys(await schemaOf(service))
    const sounding = keys.filter(({ key }) => /(KEY|PASSWORD|SECRET|TOKEN)$/.test(key))
    expect(sounding.filter(({ isSecret }) => isSecret !== true)).toEqual([])
  })

  test('refuse a wrong value each, by name, when all else is right', async () => {
    const schema = await schemaOf(service)
    const right = {
      KAFKA_BROKERS: 'kafka:9092',
      KEK_FILE: '/kek',
      SCHEMA_REGISTRY_URL: 'http://registry',
      PLATFORM_KEY: 'the platform key that these tests have',
    }
    expect(refusalOf(() => loadConfig(schema, right))).toBe('')
    for (const { key } of listConfigKeys(schema)) {
      const check = (path: string) => (path === WRONG.trim() ? 'the file is not good' : undefined)
      const refusal = refusalOf(() => loadConfig(schema, { ...right, [key]: WRONG }, check))
      expect(refusal).toContain(`\n- ${key} is wrong: `)
    }
  })

  test('refuse a wrong value each, all of them at once, and show none', async () => {
    // Given
    const schema = await schemaOf(service)
    const keys = listConfigKeys(schema)
    const wrong = Object.fromEntries(keys.map(({ key }) => [key, `${WRONG} ${key}`]))

    // When
    const refusal = refusalOf(() => loadConfig(schema, wrong, () => 'the file is not good'))

    // Then
    const problems = refusal.split('\n').slice(1)
    for (const { key } of keys) {
      const told = problems.filter((line) => line.startsWith(`- ${key} is wrong: `))
      expect([key, told.length > 0]).toEqual([key, true])
    }
    expect(refusal).not.toContain('hunter2')
  })
})

function refusalOf(attempt: () => unknown): string {
  try {
    attempt()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
