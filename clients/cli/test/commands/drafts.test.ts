import { expect, test } from '@jest/globals'
import { outputDraft } from '../../src/commands/output/create.ts'
import { streamDraft } from '../../src/commands/stream.ts'

const sent = (draft: unknown): unknown => JSON.parse(JSON.stringify(draft))

test('creating a stream sends only what was asked for', () => {
  expect(sent(streamDraft('clicks', {}))).toEqual({ name: 'clicks' })
  expect(sent(streamDraft('clicks', { rate: '5', tag: ['web'], partitions: 12 }))).toEqual({
    name: 'clicks',
    tags: ['web'],
    partitions: 12,
    limits: { eventRate: '5' },
  })
})

test('creating an output sends its levels and their type', () => {
  expect(sent(outputDraft('ads', { level: [1, 3], type: 'GRANULAR', from: 'earliest' }))).toEqual({
    name: 'ads',
    consentLevels: [1, 3],
    consentLevelType: 'GRANULAR',
    from: 'earliest',
  })
})

test('several levels need to be GRANULAR', () => {
  expect(() => outputDraft('ads', { level: [1, 3], type: 'CUMULATIVE' })).toThrow(
    'a CUMULATIVE output has one level',
  )
})
