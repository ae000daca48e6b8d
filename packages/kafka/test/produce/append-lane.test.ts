// How a lane handles each possible response of a broker.
import { describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { encodeRecord } from '../../src/protocol/record-batch.ts'
import { NOT_APPENDED, REFUSALS, STORED, appendLane, broker, event } from './support-producer.ts'
import type { FakeBroker } from '../support-fake-broker.ts'

const records = (...values: string[]) => values.map((value) => encodeRecord(event(value)))

const outcomeOf = (appending: Promise<bigint>): Promise<string> =>
  appending.then(String, (error: { code: string }) => error.code)

const sentTo = ({ batches }: FakeBroker): string[] =>
  batches.map(({ values, producerId, sequence }) => `${values.join(',')} ${producerId}/${sequence}`)

test('appends are stored in order, each with the offset of its first record', async () => {
  let end = 40
  const fake = await broker({
    reply({ values }) {
      const baseOffset = end
      end += values.length
      return { errorCode: 0, baseOffset }
    },
  })
  const lane = appendLane(fake)

  const answers = [records('a', 'b'), records('c'), records('d', 'e'), records('f')].map(
    lane.append,
  )

  expect(await Promise.all(answers)).toEqual([40n, 42n, 43n, 45n])
  expect(sentTo(fake)).toEqual(['a,b 7/0', 'c,d,e,f 7/2'])
})

test('one encoded record may stand in batches of several lanes', async () => {
  const fake = await broker({ reply: () => STORED })
  const shared = records('a', 'b')
  const lanes = [appendLane(fake), appendLane(fake)]
  await Promise.all(lanes.map((lane) => lane.append(shared)))
  expect(sentTo(fake)).toEqual(['a,b 7/0', 'a,b 7/0'])
})

describe('an append', () => {
  test.each([...REFUSALS, ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 20], ['REQUEST_TIMED_OUT', 7]])(
    'answered with %s goes out again under the same numbers',
    async (_, errorCode) => {
      const refused = { errorCode, baseOffset: NOT_APPENDED }
      const fake = await broker({ reply: (__, count) => (count < 3 ? refused : STORED) })
      await appendLane(fake).append(records('a'))
      expect(new Set(fake.batches.map(({ bytes }) => bytes)).size).toBe(1)
      expect(fake.batches).toHaveLength(3)
    },
  )

  test.each(['hang up', 'silence'] as const)(
    'whose answer is lost (%s) goes out again as the same bytes, and those behind it wait',
    async (ending) => {
      const fake = await broker({ reply: (_, count) => (count === 1 ? ending : STORED) })
      const lane = appendLane(fake)
      await Promise.all([lane.append(records('a')), lane.append(records('b'))])
      expect(sentTo(fake)).toEqual(['a 7/0', 'a 7/0', 'b 7/1'])
    },
    30_000,
  )

  test.each([
    ['INVALID_PRODUCER_EPOCH', 47],
    ['PRODUCER_FENCED', 90],
    ['OUT_OF_ORDER_SEQUENCE_NUMBER', 45],
  ])('refused with %s ends the lane', async (_, errorCode) => {
    const refused = { errorCode, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: () => refused })
    const lane = appendLane(fake)
    const [first, second] = [lane.append(records('a')), lane.append(records('b'))].map(outcomeOf)
    expect([await first, await second]).toEqual(['kafka.fenced', 'kafka.not_sent'])
    expect(await outcomeOf(lane.append(records('c')))).toBe('kafka.not_sent')
    expect(sentTo(fake)).toEqual(['a 7/0'])
  })

  test('asked again and refused for its numbers may be stored, and ends the lane', async () => {
    const refused = { errorCode: 45, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: (_, count) => (count === 1 ? 'hang up' : refused) })
    const lane = appendLane(fake)
    expect(await outcomeOf(lane.append(records('a')))).toBe('kafka.outcome_unknown')
    expect(await outcomeOf(lane.append(records('b')))).toBe('kafka.not_sent')
    expect(sentTo(fake)).toEqual(['a 7/0', 'a 7/0'])
  })

  test('that is too large is told so, and nothing is stored behind it', async () => {
    const tooLarge = { errorCode: 10, baseOffset: NOT_APPENDED }
    const fake = await broker({
      reply: ({ values }) => (values.join('').length > 3 ? tooLarge : STORED),
    })
    const lane = appendLane(fake)
    const answers = ['a', 'bb', 'cccc', 'd'].map((value) => outcomeOf(lane.append(records(value))))
    expect(await Promise.all(answers)).toEqual(['0', '0', 'kafka.too_large', 'kafka.not_sent'])
    expect(sentTo(fake)).toEqual(['a 7/0', 'bb,cccc,d 7/1', 'bb 7/1', 'cccc 7/2'])
  })
})

describe('closing', () => {
  test('gives up what may be stored, and what waits', async () => {
    const fake = await broker({ reply: () => 'silence' })
    const lane = appendLane(fake)
    const answers = ['a', 'b'].map((value) => outcomeOf(lane.append(records(value))))
    await pollUntil(() => fake.batches.length > 0, { deadlineMs: 60_000 })
    lane.close()
    expect(await Promise.all(answers)).toEqual(['kafka.outcome_unknown', 'kafka.not_sent'])
  })

  test('tells what was never sent that it is not stored', async () => {
    const fake = await broker({ reply: () => STORED })
    const lane = appendLane(fake)
    const answer = outcomeOf(lane.append(records('a')))
    lane.close()
    expect(await answer).toBe('kafka.not_sent')
    expect(fake.batches).toEqual([])
  })
})

test('another topic of the same name gets nothing', async () => {
  let topicId = '11111111-2222-3333-4444-555555555555'
  const fake = await broker({
    reply({ values }) {
      if (values[0] === 'a') return STORED
      topicId = topicId.replaceAll('1', '9')
      return { errorCode: 100, baseOffset: NOT_APPENDED }
    },
    topicId: () => topicId,
  })
  const lane = appendLane(fake)
  await lane.append(records('a'))
  expect(await outcomeOf(lane.append(records('b')))).toBe('kafka.fenced')
  expect(sentTo(fake)).toEqual(['a 7/0', 'b 7/1'])
})
