import { randomBytes } from 'node:crypto'

export function avroLong(value: bigint): Buffer {
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  const octets: number[] = []
  for (; left > 0x7fn; left >>= 7n) octets.push(Number(left & 0x7fn) | 0x80)
  return Buffer.from([...octets, Number(left)])
}

export const requestHead = 'POST /event HTTP/1.1\r\nhost: x\r\n'
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** Octets that a client may send instead of a request. */
export const hostileOctets: readonly [string, string | Buffer][] = [
  ['random octets', randomBytes(10_000)],
  ['a TLS handshake', Buffer.from('16030100c8010000c40303', 'hex')],
  ['half a preface and then something else', 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'],
  ['a preface and garbage', Buffer.concat([Buffer.from(preface), randomBytes(1_000)])],
  ['a preface and zeros', Buffer.concat([Buffer.from(preface), Buffer.alloc(1_000)])],
  ['a preface and nothing', preface],
  ['HTTP/0.9', 'GET /\r\n'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a header line that never ends', `${requestHead}x: ${'x'.repeat(100_000)}`],
  ['a length that is none', `${requestHead}content-length: -1\r\n\r\n`],
  ['two lengths', `${requestHead}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
  [
    'a length and chunks',
    `${requestHead}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['chunks that are none', `${requestHead}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ['a body that ends early', `${requestHead}content-length: 100\r\n\r\nhalf`],
  ['a wish to change the protocol', `${requestHead}upgrade: h2c\r\nconnection: upgrade\r\n\r\n`],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a header with a line end in it', `${requestHead}x: a\rb\r\ncontent-length: 0\r\n\r\n`],
]
