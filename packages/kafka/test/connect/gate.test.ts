import { expect, test } from '@jest/globals'

import { createSendGate } from '../../src/connect/gate.ts'

function requests() {
  const sent: number[] = []
  const send = (number: number) => () => {
    sent.push(number)
    return Promise.resolve(number)
  }
  return { sent, send }
}

test('requests leave in their order, though the gate is shut twice between', async () => {
  // Given
  const { sent, send } = requests()
  const gate = createSendGate()
  await gate.pass(send(1), Infinity)
  const [openOne, openOther] = [gate.shut(), gate.shut()]
  const waiting = [2, 3].map((number) => gate.pass(send(number), Infinity))

  // When, then
  openOne()
  expect(sent).toEqual([1])
  openOther()
  waiting.push(gate.pass(send(4), Infinity))
  expect(await Promise.all(waiting)).toEqual([2, 3, 4])
  expect(sent).toEqual([1, 2, 3, 4])
})

test('a request that shuts the gate again holds up those behind it', async () => {
  // Given
  const { sent, send } = requests()
  const gate = createSendGate()
  const open = gate.shut()
  let openAgain = () => {}
  const first = gate.pass(() => {
    openAgain = gate.shut()
    return send(1)()
  }, Infinity)
  const second = gate.pass(send(2), Infinity)

  // When
  open()
  await first

  // Then
  expect(sent).toEqual([1])
  openAgain()
  await second
  expect(sent).toEqual([1, 2])
})

test('what had to wait for too long is not sent, and told so', async () => {
  const { sent, send } = requests()
  const gate = createSendGate()
  const open = gate.shut()
  const late = gate.pass(send(1), performance.now() - 1)

  open()
  await expect(late).rejects.toMatchObject({ code: 'kafka.not_sent' })
  expect(sent).toEqual([])
})
