// When requests may be sent.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createGate } from '../../src/sending/gate.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

function gateOf() {
  const seen = { opened: 0 }
  const onOpen = () => (seen.opened += 1)
  const gate = createGate({ requestsMax: 4, nowMs: Date.now, random: () => 1, onOpen })
  return { gate, seen }
}

test('after a failure nothing leaves for a while, then one request, and all once it succeeds', () => {
  const { gate, seen } = gateOf()
  expect(gate.open()).toBe(4)
  expect(gate.failed(undefined)).toBe(100)
  expect(gate.open()).toBe(0)
  jest.advanceTimersByTime(99)
  expect([gate.open(), seen.opened]).toEqual([0, 0])
  jest.advanceTimersByTime(1)
  expect([gate.open(), seen.opened]).toEqual([1, 1])
  gate.succeeded()
  expect(gate.open()).toBe(4)
})

test('pauses grow from failure to failure in a row, and requests that fail at once are one', () => {
  const { gate } = gateOf()
  const pauses = Array.from({ length: 4 }, () => {
    const ms = gate.failed(undefined)
    expect(gate.failed(undefined)).toBe(ms)
    jest.advanceTimersByTime(ms)
    return ms
  })
  expect(pauses).toEqual([100, 200, 400, 800])
  gate.succeeded()
  expect(gate.failed(undefined)).toBe(100)
})

test('it stays closed as long as the service asked for, whatever fails meanwhile, or goes well', () => {
  const { gate } = gateOf()
  gate.failed(4_000)
  gate.failed(undefined)
  gate.succeeded()
  jest.advanceTimersByTime(4_999)
  expect(gate.open()).toBe(0)
  jest.advanceTimersByTime(1)
  expect(gate.open()).toBe(4)
})

test('who was too fast waits, and goes on as before', () => {
  const { gate } = gateOf()
  gate.slowDown(1_000)
  expect(gate.open()).toBe(0)
  jest.advanceTimersByTime(1_250)
  expect(gate.open()).toBe(4)
})
