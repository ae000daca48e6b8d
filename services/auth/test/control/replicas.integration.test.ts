// Two replicas of auth: what one creates is immediately usable at the other, and no name is given twice.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { within } from '@weir/testkit'
import { joinAuth, makeAccount, problem, secretsOf, send, uniqueName } from '../support.ts'
import type { Account, Reply, Secrets, SharedAuth } from '../support.ts'

let shared: SharedAuth
let replicas: [Address, Address]
let accounts: [Account, Account]

beforeAll(async () => {
  shared = await joinAuth()
  replicas = [shared, await shared.replica()]
  const account = await makeAccount(replicas[0])
  accounts = [account, account.at(replicas[1])]
})
afterAll(() => shared.stop())

type Address = Pick<SharedAuth, 'url'>

const token = (replica: Address, { billingId }: Account, secrets: Secrets): Promise<Reply> =>
  send(`${replica.url}/auth`, { method: 'POST', json: { billingId, ...secrets } })

const output = (name: string) => ({
  name,
  decrypterName: 'nobody',
  consentLevels: [1],
  consentLevelType: 'CUMULATIVE',
})

test('of fifty creations of one name at once, one gets 201 and 49 get 409', async () => {
  const name = uniqueName('s')
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      accounts[index % 2 === 0 ? 0 : 1].post('/v2/streams', { name }),
    ),
  )
  const statuses = replies.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(49)
  const winner = replies.find(({ status }) => status === 201)
  if (winner === undefined) throw new Error('nobody won')
  for (const replica of replicas)
    expect((await token(replica, accounts[0], secretsOf(winner))).status).toBe(200)
})

test('creations of different names through both replicas all succeed', async () => {
  const names = Array.from({ length: 20 }, () => uniqueName('s'))
  const replies = await Promise.all(
    names.map((name, index) => accounts[index % 2 === 0 ? 0 : 1].post('/v2/streams', { name })),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  for (const account of accounts) {
    const isListed = async () => {
      const listed = (await account.get('/v1/streams')).list.map(({ name }) => name)
      return names.every((name) => listed.includes(name))
    }
    await pollUntil(isListed, { deadlineMs: within(1_000), everyMs: 20 })
  }
})

test('what one replica announced may be used at the other at once', async () => {
  for (let round = 0; round < 5; round++) {
    const [here, there] = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const name = uniqueName('s')
    const made = await accounts[here].post('/v2/streams', { name })
    const [shown, tokens, derived] = await Promise.all([
      accounts[there].get(`/v2/streams/${name}`),
      token(replicas[there], accounts[there], secretsOf(made)),
      accounts[there].post(`/v2/streams/${name}/outputs`, output(`${name}-1`)),
    ])
    expect([shown.status, tokens.status, derived.status]).toEqual([200, 200, 201])
    expect((await accounts[here].get(`/v2/streams/${name}/outputs/${name}-1`)).status).toBe(200)
    const more = await accounts[there].post(`/v2/streams/${name}/credentials`)
    expect((await token(replicas[here], accounts[here], secretsOf(more))).status).toBe(200)
    const deleted = await accounts[here].delete(`/v2/streams/${name}?recursive=true`)
    expect(deleted.status).toBe(200)
    const early = await accounts[there].post('/v2/streams', { name })
    expect(early.json).toEqual(problem(409, 'being_deleted'))
  }
})

test('an account made at one replica works at the other at once', async () => {
  const account = await makeAccount(replicas[0])
  expect((await account.at(replicas[1]).get('/v2/account')).status).toBe(200)
})

test('a token of one replica can be refreshed at the other', async () => {
  const made = await accounts[0].post('/v2/streams', { name: uniqueName('s') })
  const { json } = await token(replicas[0], accounts[0], secretsOf(made))
  const refreshed = await send(`${replicas[1].url}/refresh`, { method: 'POST', json })
  expect(refreshed.status).toBe(200)
})

test('credentials revoked at one replica are dead at the other within a second', async () => {
  const name = uniqueName('s')
  const secrets = secretsOf(await accounts[0].post('/v2/streams', { name }))
  expect((await token(replicas[1], accounts[1], secrets)).status).toBe(200)
  await accounts[0].delete(`/v2/streams/${name}/credentials/${secrets.clientId}`)
  const isDead = async () => (await token(replicas[1], accounts[1], secrets)).status === 401
  await pollUntil(isDead, { deadlineMs: within(1_000), everyMs: 20 })
})

test('a stream deleted at one replica can be made again at the other, over and over', async () => {
  const name = uniqueName('s')
  const ids = new Set<unknown>()
  for (const [here, there] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const make = async () => (await accounts[there].post('/v2/streams', { name })).status === 201
    await pollUntil(make, { deadlineMs: 60_000, everyMs: 300 })
    ids.add((await accounts[here].get(`/v2/streams/${name}`)).json['streamId'])
    await accounts[here].delete(`/v2/streams/${name}`)
  }
  expect(ids.size).toBe(2)
})
