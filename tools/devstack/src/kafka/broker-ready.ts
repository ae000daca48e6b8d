// Checks with a Metadata request whether a broker serves clients. The broker is ready if the response contains at least
// one broker. An open port is not enough, because the broker may still be fenced.
//
//   request  = int32 size, int16 api key 3, int16 version 1, int32 correlation, int16 -1 (no client id),
//              int32 0 (no topics)
//   response = int32 size, int32 correlation, int32 number of brokers, …

import { connect } from 'node:net'

import { LOOPBACK } from '../ports.ts'

const API_METADATA = 3
const BROKERS_AT = 8
const ANSWER_WITHIN_MS = 2000

export function brokerServes(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: LOOPBACK, port }, () => socket.write(metadataRequest()))
    let answer = Buffer.alloc(0)
    const finish = (serves: boolean) => {
      socket.destroy()
      done(serves)
    }
    socket.setTimeout(ANSWER_WITHIN_MS, () => finish(false))
    socket.once('error', () => finish(false))
    socket.once('close', () => finish(false))
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length >= BROKERS_AT + 4) finish(answer.readInt32BE(BROKERS_AT) > 0)
    })
  })
}

function metadataRequest(): Buffer {
  const body = Buffer.alloc(14)
  body.writeInt16BE(API_METADATA, 0)
  body.writeInt16BE(1, 2)
  body.writeInt32BE(1, 4)
  body.writeInt16BE(-1, 8)
  body.writeInt32BE(0, 10)
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length)
  return Buffer.concat([size, body])
}
