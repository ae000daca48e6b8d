// One or two minutes of `npm run torture` (docs/torture.md) at a low rate. A fixed plan breaks replicas, broker,
// network and streams while events flow, and the promise of every response is kept.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { faultKindsOf } from '../src/faults/plan.ts'
import { reportText } from '../src/report.ts'
import { runTorture } from '../src/run.ts'
import { scale, setting } from '@weir/testkit'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-torture-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('whatever breaks, nothing is lost, nothing doubled, nothing opened above its level', async () => {
  const report = await runTorture({
    folder,
    kekFolder: setting('KEK_FOLDER'),
    platformKey: setting('PLATFORM_KEY'),
    schemaRegistryUrl: setting('SCHEMA_REGISTRY_URL'),
    seed: 20_261_121,
    minutes: scale(2, 1),
    brokers: 1,
    expireIdsMs: undefined,
    faults: faultKindsOf(1),
    size: { lanesOfEachStream: 3, personsOfEachLane: 4, requestsASecondOfEachLane: 6 },
    say() {},
  })

  expect(report.violations === 0 ? 'no violations' : reportText(report)).toBe('no violations')
  expect(report.calmSpells).toBeGreaterThanOrEqual(scale(2, 1))
  expect(report.events.acknowledged).toBeGreaterThan(500)
  expect(report.checked.derivedRecords).toBeGreaterThan(500)
  expect(report.fromOutside).toBeGreaterThan(500)
}, 480_000)
