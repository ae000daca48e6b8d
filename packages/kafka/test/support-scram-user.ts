// Creates a SCRAM user on a broker, with a request that kafkajs lacks (Kafka's AlterUserScramCredentials, version 0):
//
//   request  = int32 size, int16 api key 51, int16 version 0, int32 correlation, int16 -1 (no client id), 0,
//              1 (no deletions), 2 (one upsertion), name, int8 mechanism, int32 iterations, salt, password, 0, 0
//   response = int32 size, int32 correlation, 0, int32 throttled, 2 (one result), name, int16 error, …
//
// Strings and bytes begin with their length plus one, here always a single byte.
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const scramMechanisms = [
  { number: 1, digest: 'sha256', bytes: 32 },
  { number: 2, digest: 'sha512', bytes: 64 },
] as const

type User = { readonly name: string; readonly password: string }

const ITERATIONS = 4_096

/** Creates the user for both mechanisms. */
export async function addScramUser(port: number, user: User): Promise<void> {
  for (const mechanism of scramMechanisms) {
    const answer = await ask(port, upsertion(user, mechanism))
    const error = answer.readInt16BE(15 + answer.readUInt8(14) - 1)
    if (error !== 0) throw new Error(`the broker takes no SCRAM user: error ${error}`)
  }
}

function upsertion({ name, password }: User, mechanism: (typeof scramMechanisms)[number]): Buffer {
  const salt = randomBytes(16)
  const { number, digest, bytes } = mechanism
  const salted = pbkdf2Sync(password, salt, ITERATIONS, bytes, digest)
  const head = Buffer.alloc(13)
  head.writeInt16BE(51, 0)
  head.writeInt32BE(1, 4)
  head.writeInt16BE(-1, 8)
  head.writeInt8(1, 11)
  head.writeInt8(2, 12)
  const how = Buffer.alloc(5)
  how.writeInt8(number, 0)
  how.writeInt32BE(ITERATIONS, 1)
  const body = [head, sized(Buffer.from(name)), how, sized(salt), sized(salted), Buffer.alloc(2)]
  const request = Buffer.concat(body)
  const size = Buffer.alloc(4)
  size.writeInt32BE(request.length)
  return Buffer.concat([size, request])
}

const sized = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length + 1]), bytes])

function ask(port: number, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(request))
    socket.once('data', (answer) => {
      socket.destroy()
      resolve(answer)
    })
    socket.once('error', reject)
    socket.setTimeout(10_000, () => socket.destroy(new Error('the broker does not answer')))
  })
}
