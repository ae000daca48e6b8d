// The loop that connects again.
import { getEventListeners } from 'node:events'
import { expect, test } from '@jest/globals'
import { keepConnected } from '../../src/listening/keep-connected.ts'
import type { Ending } from '../../src/listening/endings.ts'

test('reconnecting for ever leaves nothing behind on the signal, and ends when it is aborted', async () => {
  const stopping = new AbortController()
  const listening: number[] = []
  await keepConnected({
    signal: stopping.signal,
    async connect(onOpen): Promise<Ending> {
      listening.push(getEventListeners(stopping.signal, 'abort').length)
      if (listening.length === 4) stopping.abort()
      onOpen()
      return { kind: 'again', reason: 'output restarts', cause: undefined, afterMs: undefined }
    },
    onOpen: () => undefined,
    onGap: () => undefined,
    onRetry: () => undefined,
  })
  expect(listening).toEqual([0, 0, 0, 0])
})

test('an abort ends the pause before the next connection', async () => {
  const stopping = new AbortController()
  const dayMs = 86_400_000
  const kept = keepConnected({
    signal: stopping.signal,
    connect: async () => ({ kind: 'again', reason: '', cause: undefined, afterMs: dayMs }),
    onOpen: () => undefined,
    onGap: () => undefined,
    onRetry: () => stopping.abort(),
  })
  await expect(kept).resolves.toBeUndefined()
})
