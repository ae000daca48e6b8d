// The client side of a SCRAM login (RFC 5802, without channel binding). The client proves that it knows the password.
// In its last message the broker proves the same. We don't use the library's implementation: it escapes only the first
// comma of a user name, and throws where the caller can't catch the error if a response is malformed.
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

import { KafkaError } from '../../errors.ts'

export type ScramOptions = {
  readonly hash: 'sha256' | 'sha512'
  readonly username: string
  readonly password: string
}

/** Sends a message to the broker, and resolves with the response. */
export type Say = (message: Buffer) => Promise<Buffer>

const KEY_BYTES = { sha256: 32, sha512: 64 } as const satisfies Record<ScramOptions['hash'], number>
const ITERATIONS_MIN = 4_096
// The broker chooses the count. Without a limit it could occupy a thread for minutes.
const ITERATIONS_MAX = 10_000_000
const NO_CHANNEL_BINDING = 'n,,'

const stretch = promisify(pbkdf2)

/*
 * client-first = "n,," "n=" name ",r=" nonce
 * server-first = "r=" nonce ",s=" salt ",i=" iterations
 * client-final = "c=" base64("n,,") ",r=" nonce ",p=" proof
 * server-final = "v=" signature
 */
export async function scramLogin(say: Say, options: ScramOptions): Promise<void> {
  const { hash, username, password } = options
  const hmac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest()
  const nonce = randomBytes(24).toString('base64url')
  const first = `n=${nameOf(username)},r=${nonce}`
  const challenge = String(await say(Buffer.from(NO_CHANNEL_BINDING + first)))
  const { salt, iterations, bothNonces } = readChallenge(challenge, nonce)

  const salted = await stretch(password, salt, iterations, KEY_BYTES[hash], hash)
  const final = `c=${Buffer.from(NO_CHANNEL_BINDING).toString('base64')},r=${bothNonces}`
  const transcript = `${first},${challenge},${final}`
  const clientKey = hmac(salted, 'Client Key')
  const storedKey = createHash(hash).update(clientKey).digest()
  const proof = xor(clientKey, hmac(storedKey, transcript)).toString('base64')
  const verdict = String(await say(Buffer.from(`${final},p=${proof}`)))

  const expected = hmac(hmac(salted, 'Server Key'), transcript)
  const signature = Buffer.from(fieldsOf(verdict).get('v') ?? '', 'base64')
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
    throw malformed('the broker does not know the password either')
}

function readChallenge(text: string, nonce: string) {
  const fields = fieldsOf(text)
  const bothNonces = fields.get('r') ?? ''
  const salt = Buffer.from(fields.get('s') ?? '', 'base64')
  const iterations = Number(fields.get('i'))
  const isOurs = bothNonces.startsWith(nonce) && bothNonces.length > nonce.length
  const isSafe = iterations >= ITERATIONS_MIN && iterations <= ITERATIONS_MAX
  if (!isOurs || !isSafe || salt.length === 0)
    throw malformed('the broker asks for an unsafe or malformed SCRAM login')
  return { bothNonces, salt, iterations }
}

const fieldsOf = (text: string): Map<string, string> =>
  new Map(text.split(',').map((field) => [field.slice(0, 1), field.slice(2)]))

const nameOf = (username: string): string => username.replaceAll('=', '=3D').replaceAll(',', '=2C')

const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))

const malformed = (message: string) => new KafkaError('kafka.malformed', message)
