// `weir simulate`: generated events at a fixed rate, with a running ingest.
import { expect, test } from '@jest/globals'
import { asObject, createTopicReader } from '@weir/testkit'
import type { LookUpGround } from './ground.ts'
import { readHistogram } from './service-histogram.ts'

/** The delay outside ingest: until it has the request's headers, and until this process has the response. */
const onTheWayMsMax = 10_000
/** The width of a bucket in the command's own histogram. */
const inaccuracy = 0.02

export function simulateTests(ground: LookUpGround): void {
  test('sends as many events as rate and duration say, all of which are stored', async () => {
    const { weir, billingId, world } = ground()
    await weir.ok('stream create simulated --save')
    const flags = '--schema clickstream --rate 200 --sessions 10 --levels 0/0,1 --duration 2s'
    const printed = await weir.ok(`simulate simulated ${flags} -o json`)
    const told: unknown = JSON.parse(printed)
    expect(told).toMatchObject({ stored: 400, rejected: 0 })
    const reader = createTopicReader(world.env)
    try {
      const ends = await reader.admin.offsets.ends(`${billingId}.simulated`, {
        isolation: 'read_committed',
      })
      expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(400n)
    } finally {
      await reader.close()
    }
  })

  test("counts and percentiles agree with ingest's own histogram", async () => {
    const { weir, world } = ground()
    await weir.ok('stream create measured --save')
    const before = await readHistogram(world.ingest, 'svc_ingest_request_seconds')
    const flags = '--schema clickstream --rate 100 --duration 4s -o json'
    const told = asObject(JSON.parse(await weir.ok(`simulate measured ${flags}`)))
    const sinceSent = asObject(told['sinceSent'])
    const after = await readHistogram(world.ingest, 'svc_ingest_request_seconds')
    const during = after.since(before)
    expect([told['stored'], told['rejected'], during.count]).toEqual([400, 0, 400])
    for (const [name, share] of [
      ['p50Ms', 0.5],
      ['p95Ms', 0.95],
      ['p99Ms', 0.99],
    ] as const) {
      // A client measures at least the service's time, so no percentile can be below the service's.
      const { fromMs, toMs } = during.bucketOf(share)
      expect(sinceSent[name]).toBeGreaterThanOrEqual(fromMs * (1 - inaccuracy))
      expect(sinceSent[name]).toBeLessThanOrEqual(toMs + onTheWayMsMax)
      expect(told[name]).toBeGreaterThanOrEqual(Number(sinceSent[name]) * (1 - inaccuracy))
    }
  })

  test('what is refused is counted by its status, with the first sentence, and the exit code says so', async () => {
    const { weir } = ground()
    await weir.ok('stream create throttled --save --rate 10')
    const flags = '--schema clickstream --rate 100 --duration 2s'
    const { code, stdout, stderr } = await weir.run(`simulate throttled ${flags}`)
    expect(code).toBe(1)
    expect(stdout).toMatch(/refusals\.\d{3}\.count +\d+\n/)
    expect(stderr).toMatch(/weir: \d+ were not stored, see above/)
    expect(stderr).toMatch(/\d+ s {2}\d+ a second {2}p50 [\d.]+ ms {2}p99 [\d.]+ ms/)
  })

  test('wrong use ends before anything is sent', async () => {
    const { weir } = ground()
    const wrong = await weir.run('simulate demo --schema clickstream --rate 5 --levels 0,300')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('0,1/0,1,2')])
    await weir.ok('stream create simulated-2 --save')
    const unknown = await weir.run('simulate simulated-2 --schema nothing --rate 5')
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('no contract has the id nothing'),
    ])
  })
}
