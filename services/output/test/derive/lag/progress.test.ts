// The lag of streams, with known and unknown ends of their inputs.
import { expect, test } from '@jest/globals'
import { createProgress, lagsOf } from '../../../src/derive/progress.ts'
import type { Progressing } from '../../../src/derive/progress.ts'
import { newStream } from '../../../src/derive/flow/stream.ts'

const told = { stored() {}, failed() {}, lost() {}, span: () => undefined }
const group = { derive: () => undefined }

type Known = { partition?: number; end?: bigint; stored?: bigint; isSeen?: boolean }

function progressing({ partition = 0, end, stored, isSeen = false }: Known): Progressing {
  const of = {
    streamId: 's',
    transactionalId: 't',
    groupId: 'g',
    inputTopic: 'in',
    outputTopic: 'out',
    deadLetterTopic: 'dead',
    partition,
    startOffset: 0n,
    rebuild: 0,
    logStarts: { derived: 0n, dead: 0n },
  }
  const noted = stored === undefined ? undefined : { next: stored, end: 0n, epoch: 0 }
  const stream = newStream(of, group, { told, noted })
  return { of, stream, flow: { end: { at: end, isSeen: () => isSeen } } }
}

const progressWith = (ends: (topic: string) => Promise<bigint[]>) =>
  createProgress({ note: async () => {} }, { ends })

test('a lag is the events of all partitions between the position and the end', () => {
  const all = [
    progressing({ end: 10n, stored: 4n }),
    progressing({ partition: 1, end: 3n, stored: 3n }),
  ]
  expect([...lagsOf(all)]).toEqual([['out', 6]])
})

test('no lag is told while an end or a position is not known', () => {
  expect([...lagsOf([progressing({ end: 10n }), progressing({ stored: 1n })])]).toEqual([])
  const half = [progressing({ end: 10n, stored: 4n }), progressing({ partition: 1, stored: 4n })]
  expect([...lagsOf(half)]).toEqual([])
})

test('the lag of a stream that waits grows with its input, which nobody reads on', async () => {
  const waiting = [
    progressing({ end: 5n, stored: 4n }),
    progressing({ partition: 1, end: 5n, stored: 4n, isSeen: true }),
  ]
  const asked: string[] = []
  const progress = progressWith(async (topic) => {
    asked.push(topic)
    return [100n, 200n]
  })
  await progress.lookAtEnds(waiting)
  expect([...lagsOf(waiting)]).toEqual([['out', 97]])
  expect(asked).toEqual(['in'])
})

test('an end that Kafka does not tell stays what it was, and is asked for again', async () => {
  const waiting = [progressing({ end: 5n, stored: 4n })]
  let isThere = false
  const progress = progressWith(async () => {
    if (!isThere) throw new Error('no broker')
    return [9n]
  })
  await progress.lookAtEnds(waiting)
  expect([...lagsOf(waiting)]).toEqual([['out', 1]])
  isThere = true
  await progress.lookAtEnds(waiting)
  expect([...lagsOf(waiting)]).toEqual([['out', 5]])
})
