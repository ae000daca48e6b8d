// Another owner fences a partition while the former owner's process, or its batches on the network, are suspended.
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

import { expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { BROKERS } from '../support.ts'
import { connectTo, newTransactionalId } from './cluster.ts'
import type { Place } from './cluster.ts'
import { batchOf, markerOffset, produce, produceOn, readLog, valuesOf } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { fence } from './transactions.ts'
import type { Identity } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

async function own() {
  const place = { topic: await topics.make('derived'), partition: 0 }
  const id = newTransactionalId()
  return { place, id, owner: (await fence(cluster, id, [place])).owner }
}

/** Starts a process that writes `old` records until one is refused. `ended` resolves with the error. */
function startWriter(place: Place, { id, epoch }: Identity) {
  const file = fileURLToPath(new URL('writing-owner.ts', import.meta.url))
  const args = [BROKERS.join(), place.topic, String(id), String(epoch)]
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.on('data', (chunk) => (told += String(chunk)))
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(told)))
  return { child, ended }
}

test('a process that is stopped while it writes, and goes on after a fence, is refused', async () => {
  const { place, id, owner: former } = await own()
  const { child, ended } = startWriter(place, former)
  const isWriting = async () => (await readLog(cluster, place)).length > 20
  await pollUntil(isWriting, { deadlineMs: 60_000, what: 'the former owner' })
  child.kill('SIGSTOP')
  const { marker, owner } = await fence(cluster, id, [place])
  await produce(cluster, place, batchOf(['new'], { producer: owner, sequence: 0 }))
  child.kill('SIGCONT')
  expect(await ended).toBe('INVALID_PRODUCER_EPOCH')
  const log = await readLog(cluster, place)
  const at = markerOffset(log, marker) ?? -1n
  expect(valuesOf(log.filter(({ offset }) => offset > at))).toEqual(['new'])
})

/** Starts a proxy that holds back requests to the broker between `hold` and `release`. */
async function startHolding(address: string) {
  const [host = '', port] = address.split(':')
  const held: (() => void)[] = []
  let isHeld = false
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    const onward = connect(Number(port), host)
    sockets.push(socket, onward)
    onward.pipe(socket)
    socket.on('data', (chunk) => {
      if (isHeld) held.push(() => onward.write(chunk))
      else onward.write(chunk)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const bound = server.address()
  return {
    address: `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`,
    hold: () => void (isHeld = true),
    /** The number of chunks held back. */
    held: () => held.length,
    release() {
      isHeld = false
      for (const send of held.splice(0)) send()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('five batches that left before a fence and arrive after it are refused', async () => {
  const { place, id, owner: former } = await own()
  const way = await startHolding(BROKERS[0] ?? '')
  const connection = await connectTo(way.address, 'former')
  const send = (sequence: number) =>
    produceOn(connection, { ...place, batch: batchOf(['old'], { producer: former, sequence }) })
  expect((await send(0)).error).toBe('NONE')
  way.hold()
  const late = [1, 2, 3, 4, 5].map(send)
  await pollUntil(() => way.held() > 0, { deadlineMs: 60_000, what: 'batches on their way' })
  await fence(cluster, id, [place])
  way.release()
  const errors = (await Promise.all(late)).map(({ error }) => error)
  expect(errors).toEqual(Array.from({ length: 5 }, () => 'INVALID_PRODUCER_EPOCH'))
  expect(valuesOf(await readLog(cluster, place))).toEqual(['old'])
  await connection.close()
  way.close()
})
