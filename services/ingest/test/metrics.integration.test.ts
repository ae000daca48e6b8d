// The metrics and health for an operator. Metrics count stored events, and every response by status and code.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { askAdmin, metricOf } from './support/admin.ts'
import { bearer, goodRequest, startSceneApart } from './support/scene.ts'
import type { ApartScene } from './support/scene.ts'

let scene: ApartScene
beforeAll(async () => {
  scene = await startSceneApart()
})
afterAll(() => scene?.stop())

const requests = (status: string, code: string): Promise<number> =>
  metricOf(scene.world.ingest.adminUrl, 'svc_ingest_requests_total', { status, code })

test('every refusal there is is counted from the start, with 0', async () => {
  const { adminUrl } = scene.world.ingest
  const text = await (await askAdmin(adminUrl, '/metrics')).text()
  for (const code of ['unavailable', 'internal', 'invalid_token']) {
    expect(text).toMatch(
      new RegExp(`svc_ingest_requests_total\\{status="\\d+",code="${code}".* 0\n`),
    )
    expect(text).toMatch(new RegExp(`svc_ingest_events_total\\{code="${code}".* 0\n`))
  }
})

test('every answer is counted once by its status and code', async () => {
  const { send } = scene.clients['HTTP/2']
  const good = await goodRequest(scene.token)
  for (const request of [good, good, good]) await send(request)
  await send(await goodRequest(scene.token, { url: 'x' }))
  await send({ ...good, headers: [bearer('nonsense')] })
  await send({ ...good, headers: [bearer(scene.token)] })
  await send({ ...good, path: '/' })
  await send({ ...good, method: 'PUT' })
  expect(await requests('204', 'none')).toBe(3)
  expect(await requests('400', 'validation_failed')).toBe(1)
  expect(await requests('401', 'invalid_token')).toBe(1)
  expect(await requests('400', 'schema_id_missing')).toBe(1)
  expect(await requests('404', 'not_found')).toBe(1)
  expect(await requests('405', 'method_not_allowed')).toBe(1)
  const { adminUrl } = scene.world.ingest
  expect(await metricOf(adminUrl, 'svc_ingest_requests_total')).toBe(8)
  expect(await metricOf(adminUrl, 'svc_ingest_request_seconds_count')).toBe(8)
  expect(await metricOf(adminUrl, 'svc_ingest_batch_records_sum')).toBe(3)
  expect(await metricOf(adminUrl, 'svc_ingest_stored_bytes_total')).toBeGreaterThan(3 * 300)
  expect(await metricOf(adminUrl, 'svc_ingest_in_flight_bytes')).toBe(0)
})

test('health is on the admin port alone', async () => {
  const { adminUrl, url } = scene.world.ingest
  for (const path of ['/health/live', '/health/ready', '/metrics']) {
    const answer = await askAdmin(adminUrl, path)
    expect([path, answer.status, answer.ok || (await answer.text())]).toEqual([path, 200, true])
    expect((await askAdmin(url, path)).status).toBe(404)
  }
})
