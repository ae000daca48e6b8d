import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import { startService } from '../src/services.ts'
import { inTemporaryFolder } from './fixtures/temporary.ts'

const entry = join(import.meta.dirname, 'fixtures', 'tiny-service.ts')

function start(manners: string, logFile?: string) {
  const env = { MANNERS: manners, GREETING: 'hello' }
  return startService({ name: 'ingest', entry, env, logFile })
}

test('it resolves when the service is ready, with its addresses, and its log has been kept', () =>
  inTemporaryFolder(async (folder) => {
    const logFile = join(folder, 'logs', 'ingest.log')
    const service = await start('good', logFile)

    expect(service.url).toBe('http://127.0.0.1:1')
    expect((await fetch(`${service.adminUrl}/health/ready`)).status).toBe(200)
    await service.stop()

    await expect(service.exited).resolves.toBe(0)
    expect(service.lines()).toContain('{"msg":"configured","greeting":"hello"}')
    const logged = async () => (await readFile(logFile, 'utf8')).includes('stopped')
    await pollUntil(logged, { deadlineMs: 5000 })
  }))

test('one that ends while it starts is an error with its last lines', async () => {
  await expect(start('ends early')).rejects.toMatchObject({
    code: 'not_started',
    message: expect.stringContaining('KAFKA_BROKERS is missing'),
  })
})

test('one that does not heed SIGTERM is killed in the end, and kill asks nobody', async () => {
  const [first, second] = await Promise.all([start('deaf'), start('deaf')])

  await Promise.all([first.stop(100), second.kill()])

  await expect(Promise.all([first.exited, second.exited])).resolves.toEqual([137, 137])
})

test('called off, nothing of it runs', async () => {
  const calledOff = new AbortController()
  const starting = startService({
    name: 'ingest',
    entry,
    env: {},
    signal: calledOff.signal,
    onLine: () => calledOff.abort(new Error('no longer wanted')),
  })
  await expect(starting).rejects.toThrow('no longer wanted')
})
