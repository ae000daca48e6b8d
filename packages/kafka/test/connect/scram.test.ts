// Uses password and salt of the example in RFC 7677, and brokers that violate the protocol.
// secured-broker.integration.test.ts uses a real broker.
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'

import { expect, test } from '@jest/globals'

import { scramLogin } from '../../src/connect/access/scram.ts'

const PASSWORD = 'pencil'
const SALT = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')

type Broker = {
  readonly iterations?: number
  readonly nonce?: (ours: string) => string
  readonly password?: string
  readonly said: string[]
}

/** The broker's side, implemented independently. */
function brokerOf({
  iterations = 4_096,
  nonce = (ours) => `${ours}more`,
  password = PASSWORD,
  said,
}: Broker) {
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  let [first, challenge] = ['', '']
  return (message: Buffer): Promise<Buffer> => {
    const text = message.toString()
    said.push(text)
    if (first === '') {
      first = text.slice('n,,'.length)
      const ours = first.split(',r=')[1] ?? ''
      challenge = `r=${nonce(ours)},s=${SALT.toString('base64')},i=${iterations}`
      return Promise.resolve(Buffer.from(challenge))
    }
    const salted = pbkdf2Sync(password, SALT, iterations, 32, 'sha256')
    const bare = text.slice(0, text.lastIndexOf(',p='))
    const transcript = `${first},${challenge},${bare}`
    const clientKey = hmac(salted, 'Client Key')
    const signature = hmac(createHash('sha256').update(clientKey).digest(), transcript)
    const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)))
    if (text.slice(bare.length + 3) !== proof.toString('base64')) said.push('wrong proof')
    return Promise.resolve(
      Buffer.from(`v=${hmac(hmac(salted, 'Server Key'), transcript).toString('base64')}`),
    )
  }
}

const login = (broker: Broker, username = 'user') =>
  scramLogin(brokerOf(broker), { hash: 'sha256', username, password: PASSWORD })

test('we prove that we know the password without saying it, and the broker proves it too', async () => {
  const said: string[] = []
  await login({ said })

  expect(said).toHaveLength(2)
  expect(said.join()).not.toContain(PASSWORD)
})

test('all commas and equal signs of a name are escaped', async () => {
  const said: string[] = []
  await login({ said }, 'CN=weir,OU=a,O=b')

  expect(said[0]).toMatch(/^n,,n=CN=3Dweir=2COU=3Da=2CO=3Db,r=/)
})

test.each<[string, Omit<Broker, 'said'>]>([
  ['few iterations', { iterations: 100 }],
  ['iterations that would take minutes', { iterations: 100_000_000 }],
  ["a nonce that isn't ours", { nonce: () => 'another' }],
  ['no nonce of its own', { nonce: (ours) => ours }],
  ['another password', { password: 'crayon' }],
])('a broker with %s is not believed', async (_, broker) => {
  await expect(login({ ...broker, said: [] })).rejects.toMatchObject({ code: 'kafka.malformed' })
})

test('an answer that is no SCRAM message ends the login', async () => {
  const say = () => Promise.resolve(Buffer.from('\0\xff'))
  const options = { hash: 'sha512', username: 'u', password: 'p' } as const

  await expect(scramLogin(say, options)).rejects.toMatchObject({ code: 'kafka.malformed' })
})
