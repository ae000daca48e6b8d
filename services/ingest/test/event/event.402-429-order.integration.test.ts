// The limits of a stream (spec Limits): stored events per month, and accepted requests per second. Also the order of
// all checks. No other replica shares the limits in this test.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { expectStatus, textIn, within } from '@weir/testkit'
import { protocols } from '../support/clients.ts'
import type { Answer, Protocol } from '../support/clients.ts'
import { faults, requestWith as wrongRequest } from '../support/faults.ts'
import type { Fault } from '../support/faults.ts'
import {
  bearer,
  expectAccepted,
  expectRefusal,
  goodRequest,
  schema,
  startSceneAlone,
} from '../support/scene.ts'
import type { AloneScene } from '../support/scene.ts'

let scene: AloneScene
beforeAll(async () => {
  scene = await startSceneAlone()
})
afterAll(() => scene?.stop())

type Limited = {
  topic: string
  send(parts?: object): Promise<Answer>
  sendAll(...parts: object[]): Promise<number[]>
  limit(limits: object): Promise<void>
}

async function streamWith(
  name: string,
  limits: object,
  via: Protocol = 'HTTP/2',
): Promise<Limited> {
  const stream = await scene.account.input(name, { limits })
  const token = await scene.account.token(stream)
  return {
    topic: stream.topic,
    send: async (parts = {}) => scene.clients[via].send(await goodRequest(token, parts)),
    async sendAll(...parts) {
      const requests = await Promise.all(parts.map((each) => goodRequest(token, each)))
      const answers = await Promise.all(requests.map(scene.clients[via].send))
      return answers.map(({ status }) => status)
    },
    async limit(changed) {
      const path = `/v2/streams/${name}`
      expectStatus(await scene.account.call('PATCH', path, { limits: changed }), 200)
    },
  }
}

const statuses = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

describe('eventCount', () => {
  const limits = { eventRate: '1000', eventCount: '3' }
  const sentence = 'The stream has used up its 3 events of this month'

  test.each(protocols)('is how many are stored, then it is 402, over %s', async (protocol) => {
    const { topic, send } = await streamWith(
      `count-${protocol === 'HTTP/2' ? 2 : 1}`,
      limits,
      protocol,
    )
    for (let index = 0; index < 3; index += 1) expectAccepted(await send())
    for (let index = 0; index < 2; index += 1) {
      const answer = await send()
      expectRefusal(answer, 402, 'event_count_used_up', sentence)
      expect(answer.header('retry-after')).toBeUndefined()
    }
    await scene.reader.readUntil(topic, 3)
  })

  test('counts only what is stored', async () => {
    const { topic, send } = await streamWith('count-stored', limits)
    for (let index = 0; index < 5; index += 1) expect((await send({ url: 'x' })).status).toBe(400)
    for (let index = 0; index < 3; index += 1) expectAccepted(await send())
    expectRefusal(await send({ url: 'x' }), 402, 'event_count_used_up', sentence)
    await scene.reader.readUntil(topic, 3)
  })

  test('holds for twenty requests at once', async () => {
    const { topic, send } = await streamWith('count-at-once', limits)
    const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
    expect([statuses(answers, 204), statuses(answers, 402)]).toEqual([3, 17])
    await scene.reader.readUntil(topic, 3)
  })

  test('may be raised and lowered, and what was stored before counts', async () => {
    const { send, limit } = await streamWith('count-changed', { ...limits, eventCount: '1' })
    expectAccepted(await send())
    expect((await send()).status).toBe(402)
    await limit({ ...limits, eventCount: '2' })
    await pollUntil(async () => (await send()).status === 204, {
      deadlineMs: within(1_000),
      everyMs: 20,
    })
    expect((await send()).status).toBe(402)
    await limit({ ...limits, eventCount: '3' })
    await pollUntil(async () => (await send()).status === 204, {
      deadlineMs: within(1_000),
      everyMs: 20,
    })
    expect((await send()).status).toBe(402)
  })
})

describe('eventRate', () => {
  const sentence = 'The stream accepts 5 events a second at most'

  test('is how many requests a second are taken, with a burst of one second', async () => {
    for (const protocol of protocols) {
      const name = `rate-${protocol === 'HTTP/2' ? 2 : 1}`
      const { topic, send } = await streamWith(
        name,
        { eventRate: '5', eventCount: '1000' },
        protocol,
      )
      const startedAt = performance.now()
      const answers = await Promise.all(Array.from({ length: 30 }, () => send()))
      const gained = Math.ceil(((performance.now() - startedAt) / 1000) * 5)
      const stored = statuses(answers, 204)
      expect(stored).toBeGreaterThanOrEqual(5)
      expect(stored).toBeLessThanOrEqual(5 + gained)
      expect(stored + statuses(answers, 429)).toBe(30)
      const refused = answers.find((answer) => answer.status === 429)
      if (refused === undefined) throw new Error('nothing was refused')
      expectRefusal(refused, 429, 'event_rate_exceeded', sentence)
      expect(refused.header('retry-after')).toBe('1')
      await pollUntil(async () => (await send()).status === 204, {
        deadlineMs: within(2_000),
        everyMs: 100,
      })
      await scene.reader.readUntil(topic, stored + 1)
    }
  })

  test('counts every authenticated request, also those that are refused for what they say', async () => {
    const { sendAll } = await streamWith('rate-400', { eventRate: '1', eventCount: '1000' })
    expect(await sendAll({ url: 'x' }, {})).toEqual([400, 429])
  })

  test('does not count requests that it refuses itself', async () => {
    const { send } = await streamWith('rate-429', { eventRate: '1', eventCount: '1000' })
    expectAccepted(await send())
    const look = async (): Promise<boolean> => (await send()).status === 204
    await pollUntil(look, { deadlineMs: within(3_000), everyMs: 50, what: 'being let in again' })
  })

  test('may be changed', async () => {
    const { send, sendAll, limit } = await streamWith('rate-changed', {
      eventRate: '1',
      eventCount: '1000',
    })
    expect(await sendAll({}, {})).toEqual([204, 429])
    await limit({ eventRate: '1000', eventCount: '1000' })
    const isRaised = async (): Promise<boolean> => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send()))
      return statuses(answers, 204) === 20
    }
    await pollUntil(isRaised, { deadlineMs: within(1_000), everyMs: 20, what: 'the new rate' })
  })
})

// A request with several faults gets the response of the first check (docs/wire-format.md Ingest), over both protocols.
describe('the first check that fails answers', () => {
  const tokens = new Map<Fault, string>()
  const requestWith = (wrong: readonly Fault[]) =>
    wrongRequest(wrong, { good: scene.token, wrong: tokens })

  beforeAll(async () => {
    const { account } = scene
    const credentialsFor = async (stream: string, scope: string) => {
      const path = `/v2/streams/${stream}/credentials`
      const { body } = expectStatus(await account.call('POST', path, { scope }), 201)
      return { clientId: textIn(body, 'clientId'), clientSecret: textIn(body, 'clientSecret') }
    }
    const usedUp = async (name: string): Promise<string> => {
      const token = await account.token(
        await account.input(name, { limits: { eventRate: '1', eventCount: '1' } }),
      )
      expectAccepted(await scene.clients['HTTP/2'].send(await goodRequest(token)))
      return token
    }
    tokens.set('token', 'nonsense')
    tokens.set('eventCount', await usedUp('used-up'))
    tokens.set('enabled', await usedUp('disabled'))
    tokens.set('scope', await account.token(await credentialsFor('disabled', 'listen')))
    const derived = await account.output('disabled', 'derived', { consentLevels: [0] })
    tokens.set('kind', await account.token(derived))
    const patch = { enabled: false }
    expectStatus(await account.call('PATCH', '/v2/streams/disabled', patch), 200)
    expectStatus(await account.call('PATCH', '/v2/streams/disabled/outputs/derived', patch), 200)
    const rare = await account.input('rare', { limits: { eventRate: '1', eventCount: '1000' } })
    tokens.set('eventRate', await account.token(rare))
    const isDisabled = async (): Promise<boolean> =>
      (await scene.clients['HTTP/2'].send(await requestWith(['enabled']))).status === 403
    await pollUntil(isDisabled, { deadlineMs: within(1_000), everyMs: 20, what: 'disabling' })
  })

  /** The second of two requests in quick succession exceeds the rate. */
  async function expectAnswer(
    wrong: readonly Fault[],
    status: number,
    code: string,
  ): Promise<void> {
    const request = await requestWith(wrong)
    for (const protocol of protocols) {
      const { send } = scene.clients[protocol]
      const answer =
        wrong[0] === 'eventRate'
          ? await pollUntil(() => send(request).then((it) => it.status === 429 && it), {
              deadlineMs: within(5_000),
              everyMs: 0,
            })
          : await send(request)
      expect([wrong, answer.status, answer.header('svc-error')]).toEqual([wrong, status, code])
    }
  }

  describe.each(faults)(
    'what is wrong with its %s is answered with %d %s',
    (fault, status, code) => {
      const later = faults.slice(faults.findIndex(([name]) => name === fault) + 1)

      test('alone', async () => {
        await expectAnswer([fault], status, code)
      })

      test('before anything that is found later', async () => {
        for (const [other] of later) await expectAnswer([fault, other], status, code)
        await expectAnswer([fault, ...later.map(([name]) => name)], status, code)
      })
    },
  )

  test('what is in a gzip body is found in the same order', async () => {
    const { headers = [], ...request } = await requestWith(['validation'])
    const body = gzipSync(String(request.body))
    for (const [id, code] of [
      ['unknown', 'unknown_schema_id'],
      ['clickstream', 'validation_failed'],
    ] as const) {
      const answer = await scene.clients['HTTP/2'].send({
        ...request,
        headers: [headers[0] ?? bearer(''), schema(id), ['content-encoding', 'gzip']],
        body,
      })
      expect(answer.header('svc-error')).toBe(code)
    }
  })
})
