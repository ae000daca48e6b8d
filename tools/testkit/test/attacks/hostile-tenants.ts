// Attacks by one account on all other accounts, with its own credentials and within all limits. Each attack is prepared
// once. Then its act is repeated, `atOnce` times concurrently, until the attack is stopped.
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { delay } from '@weir/kit'
import {
  account as accountBy,
  connectProducer,
  contractOfFields,
  signUp,
  expectStatus,
  madeEvent,
  newContract,
  makeCrowd,
  scale,
  textIn,
} from '../../src/index.ts'
import type { Account, World } from '../../src/index.ts'

export type Act = () => Promise<{ readonly status: number }>
export type Attack = {
  readonly name: string
  /** Prepares the attack, and returns the act to repeat. */
  prepare(world: World): Promise<Act>
  readonly atOnce: number
  /** Runs only in `npm run soak`: another attack covers the same cost, or smaller tests cover this attack. */
  readonly isLong?: true
}

const unlimited = { eventRate: '999999999', eventCount: '999999999999' }

/** The number of personal values in a heavy event. At full scale it is the maximum. */
const heavyValues = scale(10_000, 1_000)

export const attacks: readonly Attack[] = [
  {
    name: 'an erasure of a person with very many pseudonyms',
    async prepare(world) {
      // This replica permits more pseudonyms than the default.
      const ingest = await world.replica('ingest', { SUBJECT_LINKS_MAX: '100000' })
      const { account, subject, erasures } = await makeCrowd(
        { ...world, ingest },
        scale(30_000, 400),
      )
      let isAsked = false
      return async () => {
        if (isAsked) await delay(100)
        const body = isAsked ? undefined : { subject }
        isAsked = true
        return account.call(body === undefined ? 'GET' : 'POST', erasures, body)
      }
    },
    atOnce: 1,
  },
  {
    name: 'events with as many personal values as an event may have',
    prepare: async (world) => sendHeavyEvents(world, await signUp(world.auth.url)),
    atOnce: 8,
  },
  {
    name: 'events with as many personal values, with thirteen outputs',
    async prepare(world) {
      const account = await signUp(world.auth.url)
      const send = await sendHeavyEvents(world, account)
      for (let level = 0; level < 13; level += 1)
        await account.output('heavy', `heavy-${level}`, { consentLevels: [level] })
      return send
    },
    atOnce: 4,
    isLong: true,
  },
  {
    name: 'outputs of thirteen levels, from the first of many events with as many personal values',
    async prepare(world) {
      const account = await signUp(world.auth.url)
      const send = await sendHeavyEvents(world, account)
      for (let nth = 0; nth < scale(400, 10); nth += 1) await send()
      let level = 0
      return async () => {
        if (level === 13) await delay(100)
        const output = { name: `heavy-${level}`, consentLevels: [level], from: 'earliest' }
        level = Math.min(13, level + 1)
        return account.call('POST', '/v2/streams/heavy/outputs', {
          consentLevelType: 'CUMULATIVE',
          ...output,
        })
      }
    },
    atOnce: 1,
    isLong: true,
  },
  {
    name: 'contracts with patterns that nobody can prove linear in time',
    async prepare(world) {
      const account = await signUp(world.auth.url)
      let nth = 0
      return () => {
        const validations = Array.from({ length: 5 }, () => ({
          field: 'key',
          value: `^.*a.{12}b.{12}c${(nth += 1)}`,
        }))
        const contract = contractOfFields(account, { id: `hard-${nth}`, fields: [], validations })
        return account.call('POST', '/v2/contracts', contract)
      }
    },
    atOnce: 3,
    isLong: true, // covered by packages/contracts/test/pattern/proofs.test.ts
  },
  {
    name: 'lists of contracts that are as large as may be',
    async prepare(world) {
      const account = await signUp(world.auth.url)
      const doc = 'x'.repeat(250_000)
      for (let nth = 0; nth < scale(20, 4); nth += 1)
        await newContract(account, {
          id: `large-${nth}`,
          fields: [{ name: 'field', type: 'string', doc }],
        })
      const headers = { authorization: `Bearer ${account.apiKey}` }
      return async () => {
        const { status, body } = await fetch(`${world.auth.url}/v2/contracts`, { headers })
        // Discards the body, because parsing it would only slow down the machine.
        await body?.pipeTo(new WritableStream())
        return unlessTooMany({ status })
      }
    },
    atOnce: 8,
    isLong: true,
  },
  {
    name: 'previews, and what a developer may not do, over and over',
    async prepare(world) {
      const account = await signUp(world.auth.url)
      await newContract(account, { id: 'seen', fields: [] })
      await account.input('seen')
      const developer = await developerOf(world, account)
      const output = account.at(world.output.url)
      const asks = [
        () => developer.call('DELETE', '/v2/streams/seen'),
        () => developer.call('PATCH', '/v2/streams/seen', { limits: unlimited }),
        () => output.call('POST', '/v2/streams/seen/outputs/preview', { consentLevels: [0] }),
      ]
      let nth = 0
      return async () => {
        const answer = await asks[(nth += 1) % asks.length]?.()
        return unlessTooMany(answer ?? { status: 0 })
      }
    },
    atOnce: 8,
  },
  {
    name: 'connections to the admin ports that never end what they ask',
    async prepare(world) {
      const ports = [world.auth, world.ingest, world.output].map(({ adminUrl }) => adminUrl)
      let nth = 0
      return async () => {
        const { hostname, port } = new URL(ports[(nth += 1) % ports.length] ?? '')
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {}).resume()
        socket.write('GET /metrics HTTP/1.1\r\nx-slow: ')
        // The service closes the connection when newer ones arrive. Without the pause the act would be a flood of
        // connections.
        await Promise.all([new Promise((resolve) => socket.once('close', resolve)), delay(1_000)])
        return { status: 408 }
      }
    },
    atOnce: scale(500, 100),
  },
]

async function developerOf({ auth }: World, { billingId, call }: Account): Promise<Account> {
  const made = await call('POST', '/v2/api-keys', { name: 'a developer', role: 'developer' })
  return accountBy(auth.url, billingId, textIn(expectStatus(made, 201).body, 'apiKey'))
}

/** Pauses after a 429. Without pauses the requests would be a flood, an attack that needs no account. */
async function unlessTooMany<Answer extends { readonly status: number }>(
  answer: Answer,
): Promise<Answer> {
  if (answer.status === 429) await delay(100)
  return answer
}

async function sendHeavyEvents({ ingest }: World, account: Account): Promise<Act> {
  await newContract(account, {
    id: 'heavy',
    fields: [{ name: 'people', type: { type: 'array', items: 'string' } }],
    piiFields: { people: 0 },
  })
  const token = await account.token(await account.input('heavy', { limits: unlimited }))
  const producer = await connectProducer(ingest.url)
  const levels = [...Array.from({ length: 13 }).keys()]
  // The values differ, so that no value is cached.
  const bodies = Array.from({ length: 16 }, () =>
    madeEvent(
      { people: Array.from({ length: heavyValues }, () => randomBytes(6).toString('hex')) },
      levels,
    ),
  )
  let nth = 0
  return () => producer.send(bodies[(nth += 1) % bodies.length] ?? '', { token, schemaId: 'heavy' })
}
