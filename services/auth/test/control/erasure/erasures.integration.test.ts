// Erasures over the API: which are accepted, and how other requests are refused. The log contains no value.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import {
  makeAccount,
  nextIn,
  problem,
  problemsOf,
  startAuth,
  textOf,
  uniqueName,
} from '../../support.ts'
import type { Account } from '../../support.ts'

let service: Service
let account: Account
let erasures: string

beforeAll(async () => {
  service = await startAuth({ LOG_LEVEL: 'debug' })
  account = await makeAccount(service)
  const name = uniqueName('s')
  await account.post('/v2/streams', { name })
  erasures = `/v2/streams/${name}/erasures`
})
afterAll(() => service.stop())

const aTime = expect.stringMatching(/^\d{4}-.*Z$/)
const valueRule = 'must be a text of 1 to 1048576 bytes in UTF-8, without lone surrogates'

const adaAnyhow = { keyFieldValue: 'ada', evenIfNoneFound: true }

describe('an erasure', () => {
  test('is accepted, listed and shown under both versions; its salt is told once', async () => {
    const made = await account.post(erasures, {
      keyFieldValues: ['ada', 'eve'],
      evenIfNoneFound: true,
      levels: [1, 2],
      reference: 'TICKET-7',
      dueOn: '2026-12-24',
    })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      id: expect.any(String),
      state: 'accepted',
      values: 2,
      found: { values: 0, events: 0, by: [], searchedAt: aTime },
      levels: [1, 2],
      reference: 'TICKET-7',
      dueOn: '2026-12-24',
      states: {
        accepted: { at: aTime },
        applied: { expectedBy: aTime },
        complete: { expectedBy: aTime },
        destroyed: { expectedBy: 'unknown' },
      },
      outputs: [],
      salt: expect.stringMatching(/^[\w-]{43}$/),
    })
    const id = textOf(made.json, 'id')
    for (const base of [erasures, erasures.replace('/v2', '/v1')]) {
      const shown = await account.get(`${base}/${id}`)
      expect(shown.json).toMatchObject({
        id,
        values: 2,
        reference: 'TICKET-7',
        dueOn: '2026-12-24',
      })
      expect(shown.json).not.toHaveProperty('salt')
      expect((await account.get(base)).list).toContainEqual(expect.objectContaining({ id }))
    }
  })

  test('gets another due date, also one in the past, or none, and the audit log has each', async () => {
    const { json } = await account.post(erasures, adaAnyhow)
    const path = `${erasures}/${textOf(json, 'id')}`
    for (const dueOn of ['2026-12-24', '2001-12-24']) {
      const changed = await account.patch(path, { dueOn })
      expect(changed).toMatchObject({ status: 200, json: { dueOn } })
      expect((await account.get(path)).json).toMatchObject({ dueOn, state: expect.any(String) })
    }
    for (let times = 0; times < 2; times += 1) {
      const removed = await account.patch(path, { dueOn: null })
      expect(removed.status).toBe(200)
      expect(removed.json).not.toHaveProperty('dueOn')
    }
    expect((await account.get(path)).json).not.toHaveProperty('dueOn')
    const { json: audit } = await account.get('/v2/audit')
    for (const [before, after] of [
      ['2026-12-24', '2001-12-24'],
      ['2001-12-24', 'none'],
    ])
      expect(audit['entries']).toContainEqual(
        expect.objectContaining({
          action: 'erasure.change',
          target: expect.objectContaining({
            erasure: textOf(json, 'id'),
            before: { dueOn: before },
            after: { dueOn: after },
          }),
        }),
      )
    for (const [body, sentence] of [
      [{ dueOn: '2026-02-30' }, 'dueOn must be a day, such as 2026-12-24, or null'],
      [{ dueOn: 'none' }, 'dueOn must be a day'],
      [{ reference: '' }, 'reference must be a text of 1 to 200 characters'],
      [{ reference: 7 }, 'reference must be a text of 1 to 200 characters'],
      [{ salt: 'x' }, 'salt is not known here'],
    ] as const)
      expect(problemsOf(await account.patch(path, body))).toEqual([
        expect.stringContaining(sentence),
      ])
    const unknown = await account.patch(`${path.slice(0, -1)}x`, { dueOn: '2026-12-24' })
    expect(unknown.json).toEqual(problem(404, 'not_found'))
  })

  test('gets another reference, or none, which the audit log does not repeat', async () => {
    const { json } = await account.post(erasures, { ...adaAnyhow, dueOn: '2026-12-24' })
    const path = `${erasures}/${textOf(json, 'id')}`
    const named = await account.patch(path, { reference: 'ada-lovelace' })
    expect(named.json).toMatchObject({ reference: 'ada-lovelace', dueOn: '2026-12-24' })
    const changed = await account.patch(path, { reference: 'TICKET-8', dueOn: null })
    expect(changed.json).toMatchObject({ reference: 'TICKET-8' })
    expect(changed.json).not.toHaveProperty('dueOn')
    expect((await account.patch(path, {})).json).toMatchObject({ reference: 'TICKET-8' })
    const removed = await account.patch(path, { reference: null })
    expect(removed.json).not.toHaveProperty('reference')
    const { json: audit } = await account.get('/v2/audit')
    expect(audit['entries']).toContainEqual(
      expect.objectContaining({
        target: expect.objectContaining({
          before: { reference: 'none' },
          after: { reference: 'not logged' },
        }),
      }),
    )
    expect(JSON.stringify(audit)).not.toMatch(/ada-lovelace|TICKET-8/)
  })

  test('is listed before the older ones, in pages', async () => {
    const ids: string[] = []
    for (const keyFieldValue of ['a', 'b', 'c']) {
      const { json } = await account.post(erasures, { keyFieldValue, evenIfNoneFound: true })
      ids.unshift(textOf(json, 'id'))
    }
    const first = await account.get(`${erasures}?limit=2`)
    const next = await account.get(`${erasures}?${nextIn(first)}`)
    expect([...first.list, ...next.list].slice(0, 3).map(({ id }) => id)).toEqual(ids)
  })

  test('has no receipt before it is complete', async () => {
    const { json } = await account.post(erasures, adaAnyhow)
    const early = await account.get(`${erasures}/${textOf(json, 'id')}/receipt`)
    expect(early.json).toEqual(problem(409, 'not_complete'))
  })

  test('of a value as long as an event is taken', async () => {
    const made = await account.post(erasures, {
      keyFieldValue: 'é'.repeat(524_288),
      evenIfNoneFound: true,
    })
    expect(made.status).toBe(201)
  })

  test.each([
    [
      'neither a value nor values',
      {},
      'keyFieldValue or keyFieldValues, subject or searchId must be present, and only one of them',
    ],
    [
      'both of them',
      { keyFieldValue: 'a', keyFieldValues: ['b'] },
      'keyFieldValue or keyFieldValues, subject or searchId must be present, and only one of them',
    ],
    ['a number', { keyFieldValue: 7 }, `keyFieldValue ${valueRule}`],
    ['null', { keyFieldValue: null }, `keyFieldValue ${valueRule}`],
    ['an empty value', { keyFieldValue: '' }, `keyFieldValue ${valueRule}`],
    ['more than 1 MiB', { keyFieldValue: 'x'.repeat(1_048_577) }, `keyFieldValue ${valueRule}`],
    ['no values', { keyFieldValues: [] }, 'keyFieldValues must be a list of 1 to 100 texts'],
    [
      'too many values',
      { keyFieldValues: Array(101).fill('x') },
      'keyFieldValues must be a list of 1 to 100 texts',
    ],
    ['a bad one among good ones', { keyFieldValues: ['a', ''] }, `keyFieldValues.1 ${valueRule}`],
    ['a level that there is not', { keyFieldValue: 'a', levels: [256] }, 'levels.0 must be'],
    ['no levels', { keyFieldValue: 'a', levels: [] }, 'levels must be a list of levels'],
    ['a level twice', { keyFieldValue: 'a', levels: [1, 1] }, 'levels must be a list of levels'],
    [
      'a reference that is too long',
      { keyFieldValue: 'a', reference: 'x'.repeat(201) },
      'reference must be a text of 1 to 200 characters',
    ],
    ['a day that no month has', { keyFieldValue: 'a', dueOn: '2026-02-30' }, 'dueOn must be a day'],
    [
      'a line end in its reference',
      { keyFieldValue: 'a', reference: 'a\nb' },
      'reference must be a text of 1 to 200 characters',
    ],
    ['an unknown member', { keyFieldValue: 'a', level: 1 }, 'level is not known here'],
  ])('with %s is refused with a sentence that says what is wrong', async (_, body, sentence) => {
    const before = (await account.get(erasures)).list.length
    const refused = await account.post(erasures, body)
    expect(refused.json).toMatchObject({ status: 422, code: 'invalid' })
    expect(problemsOf(refused)).toContainEqual(expect.stringContaining(sentence))
    expect((await account.get(erasures)).list).toHaveLength(before)
  })

  test('of a value that is not well-formed Unicode is refused, as is a body that is not UTF-8', async () => {
    const send = (body: string | Buffer) =>
      fetch(`${service.url}${erasures}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.apiKey}` },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      })
    const lone = await send('{"keyFieldValue":"a\\ud800b"}')
    expect(lone.status).toBe(422)
    expect(await lone.json()).toMatchObject({ problems: [`keyFieldValue ${valueRule}`] })
    const bytes = Buffer.concat([
      Buffer.from('{"keyFieldValue":"'),
      Buffer.of(0xff),
      Buffer.from('"}'),
    ])
    expect((await send(bytes)).status).toBe(400)
  })

  test('of more bytes than a request may have is refused', async () => {
    const keyFieldValues = Array(5).fill('x'.repeat(1_000_000))
    const refused = await account.post(erasures, { keyFieldValues })
    expect(refused.json).toMatchObject({ ...problem(413, 'too_large') })
    expect(refused.text).toContain('4 MiB')
  })

  test('of a stream, or with an id, that is not there or not one’s own is not found', async () => {
    const stranger = await makeAccount(service)
    const { json } = await account.post(erasures, adaAnyhow)
    const id = textOf(json, 'id')
    const replies = await Promise.all([
      account.post('/v2/streams/nobody/erasures', { keyFieldValue: 'ada' }),
      account.get('/v2/streams/nobody/erasures'),
      account.get(`${erasures}/${id.replace(/^./, 'x')}`),
      account.get(`${erasures}/nobody/receipt`),
      stranger.post(erasures, { keyFieldValue: 'ada' }),
      stranger.get(`${erasures}/${id}`),
      stranger.get(`${erasures}/${id}/receipt`),
    ])
    expect(replies.map(({ json: body }) => body)).toEqual(
      replies.map(() => problem(404, 'not_found')),
    )
  })
})

test('where no contract names a data subject that is said of looking and of erasing, and never that nothing is kept', async () => {
  for (const path of [erasures, erasures.replace('erasures', 'subjects/lookup')]) {
    const refused = await account.post(path, { subject: 'customer-00042' })
    expect(refused.json).toEqual(problem(409, 'no_data_subject_field'))
    expect(refused.text).toContain('may still contain such events')
    expect(refused.text).not.toContain('othing is kept')
  }
})

test('no value that was sent for an erasure is in the log or in a refusal', async () => {
  const secret = 'somebody-whom-nobody-may-know'
  const replies = await Promise.all([
    account.post(erasures, { keyFieldValue: secret }),
    account.post(erasures, { keyFieldValue: secret, evenIfNoneFound: true }),
    account.post(erasures, { keyFieldValues: [secret, ''] }),
    account.post(erasures, { keyFieldValue: { secret } }),
    account.post('/v2/streams/nobody/erasures', { keyFieldValue: secret }),
    account.get(erasures),
  ])
  const said = [...replies.map(({ text }) => text), ...service.lines()].join('\n')
  expect(said).not.toContain(secret)
  expect(said).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20))
})
