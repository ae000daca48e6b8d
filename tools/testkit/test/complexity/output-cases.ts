// The worst input for output: upgrades, frames after the upgrade, and requests of an account's owner.
import { requestBytes } from '../../src/complexity/exchange.ts'
import { many } from './parts.ts'
import { byHead, byKey, list } from './requests.ts'
import type { Case, Headers } from './requests.ts'

const upgrade: Headers = [
  ['upgrade', 'websocket'],
  ['sec-websocket-version', '13'],
  ['sec-websocket-key', Buffer.alloc(16).toString('base64')],
]

/** Returns a client's frame, with a mask of zeros. */
const frame = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.of(opcode, 0x80 | payload.length), Buffer.alloc(4), payload])
const text = 0x01
const piece = 0x00
const close = 0x88
const ping = 0x89

/** Sends the frames immediately after the upgrade, and then a close frame. */
const byFrames =
  (
    frames: (size: number) => readonly Buffer[],
    more: (size: number) => Headers = () => [],
  ): Case['send'] =>
  (size, { token }) =>
    Buffer.concat([
      requestBytes({
        method: 'GET',
        path: '/ws',
        headers: [...upgrade, ['authorization', `Bearer ${token}`], ...more(size)],
      }),
      ...frames(size),
      frame(close, Buffer.alloc(0)),
    ])

export const watchingCases: readonly Case[] = [
  {
    name: 'a flood of pings',
    at: 'output',
    size: 500,
    send: byFrames((n) => many(n, () => frame(ping, Buffer.alloc(125)))),
    status: 101,
  },
  {
    name: 'a message in many pieces of nothing',
    at: 'output',
    size: 500,
    send: byFrames((n) => [
      frame(text, Buffer.alloc(0)),
      ...many(n, () => frame(piece, Buffer.alloc(0))),
    ]),
    status: 101,
  },
  {
    name: 'a message in many pieces, beyond all bounds',
    at: 'output',
    size: 1_000,
    send: byFrames((n) => [
      frame(text, Buffer.alloc(1)),
      ...many(n, () => frame(piece, Buffer.alloc(1))),
    ]),
    status: 101,
  },
  {
    name: 'a preview of many levels that are none',
    at: 'output',
    size: 1_200,
    send: (n, scene) =>
      requestBytes({
        path: `/v2/streams/${scene.stream}/outputs/preview`,
        headers: byKey(scene),
        body: `{"consentLevels":${list(n, '-1')}}`,
      }),
    status: [413, 422],
  },
  {
    name: 'an upgrade that offers many subprotocols',
    at: 'output',
    size: 450,
    send: byHead(
      'GET',
      () => '/ws',
      (n) => [...upgrade, ['sec-websocket-protocol', many(n, (i) => i.toString(36)).join(',')]],
    ),
    status: 401,
  },
  {
    name: 'an upgrade to a path of many letters',
    at: 'output',
    size: 1_800,
    send: byHead(
      'GET',
      (n) => `/v2/streams/${'a-'.repeat(n / 2)}/outputs/`,
      () => upgrade,
    ),
    status: 404,
  },
  {
    name: 'an upgrade with extensions without end',
    at: 'output',
    size: 250,
    send: byFrames(
      () => [],
      (n) => [['sec-websocket-extensions', `a${'; b=c'.repeat(n)}"`]],
    ),
    status: 101,
  },
  {
    name: 'a path into the console of dots and escapes',
    at: 'output',
    size: 280,
    send: byHead('GET', (n) => `/console/${'%2e%2e/'.repeat(n)}`),
    status: [403, 404],
  },
]
