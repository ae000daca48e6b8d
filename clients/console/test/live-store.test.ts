// How events of several WebSockets are joined: in any order, and any number of them.
import { expect, test } from '@jest/globals'
import { createLiveStore } from '../web/live/live-store.ts'

const event = (nonce: number, more: object = {}) => ({
  svcMeta: { schemaId: 'clicks', nonce, consentLevels: [0, 1] },
  person: 'sealed',
  page: 'home',
  ...more,
})
const text = (nonce: number, more?: object) => JSON.stringify(event(nonce, more))

test('an event and what came of it in derived streams are one, whichever is seen first', () => {
  const store = createLiveStore()
  store.addOutput('early', text(1, { person: 'open' }))
  store.addInput(text(1), 5)
  store.addOutput('late', text(1))
  const [only] = store.newest()
  expect(only).toMatchObject({ id: 1, atMs: 5, contractId: 'clicks', consent: [0, 1] })
  expect([...(only?.opened.keys() ?? [])]).toEqual(['early', 'late'])
  expect(only?.opened.get('early')).toMatchObject({ person: 'open' })
})

test('events with the very same envelope are told apart by their order', () => {
  const store = createLiveStore()
  store.addInput(text(1, { page: 'first' }), 1)
  store.addInput(text(1, { page: 'second' }), 2)
  store.addOutput('out', text(1, { page: 'first' }))
  store.addOutput('out', text(1, { page: 'second' }))
  expect(store.newest().map(({ opened }) => opened.get('out')?.['page'])).toEqual([
    'second',
    'first',
  ])
})

test('of many events the newest are kept, and all are counted', () => {
  const store = createLiveStore(10)
  for (let nonce = 1; nonce <= 1_000; nonce += 1) {
    store.addOutput('out', text(nonce))
    store.addInput(text(nonce), nonce)
  }
  const newest = store.newest()
  expect(newest).toHaveLength(10)
  expect([newest[0]?.id, newest.at(-1)?.id]).toEqual([1_000, 991])
  expect(newest.every(({ opened }) => opened.has('out'))).toBe(true)
  expect(store.total()).toBe(1_000)
})

test('an event that this page sent is shown as it was sent, once', () => {
  const store = createLiveStore()
  const sent = event(0, { person: 'somebody' })
  store.expect('clicks', sent, ['person'])
  store.addInput(text(7, { page: 'another' }), 1)
  store.addInput(text(8), 2)
  store.addInput(text(9), 3)
  expect(store.newest().map((one) => one.sent)).toEqual([undefined, sent, undefined])
})

test('an event that was refused is not shown as the next one was sent', () => {
  const store = createLiveStore()
  const forget = store.expect('clicks', event(0, { person: '' }), ['person'])
  forget()
  const sent = event(0, { person: 'somebody' })
  store.expect('clicks', sent, ['person'])
  store.addInput(text(7), 1)
  store.addInput(text(8), 2)
  expect(store.newest().map((one) => one.sent)).toEqual([undefined, sent])
})

test('what is not a JSON object is passed over', () => {
  const store = createLiveStore()
  for (const message of ['', 'no', '[]', '1']) {
    store.addInput(message, 1)
    store.addOutput('out', message)
  }
  expect(store.newest()).toEqual([])
})
