// Neither a response nor its duration shows whether a client exists.
import { expect, test } from '@jest/globals'
import { hashSecret } from '@weir/control-state'
import type { Credential, InputStream } from '@weir/control-state'
import { createAuthenticator } from '../../src/tokens/authenticate.ts'
import type { Secrets } from '../../src/tokens/authenticate.ts'

const clientId = '0b7ba8a5-0000-4000-8000-000000000000'
const secrets: Secrets = { billingId: 'acme', clientId, clientSecret: 'right' }

const credential: Credential = {
  clientId,
  secretHash: hashSecret('right'),
  scope: ['send', 'listen'],
  createdAtMs: 1,
}

const stream: InputStream = {
  type: 'stream',
  billingId: 'acme',
  name: 'clicks',
  streamId: 'id',
  state: 'ready',
  stateSinceMs: 1,
  enabled: true,
  tags: [],
  credentials: [credential],
  partitions: 1,
  createdAtMs: 1,
  kind: 'input',
  limits: { eventRate: '1', eventCount: '1' },
  rotationHours: 24,
  keyRetentionDays: 365,
}

function setUp(more: Partial<InputStream> = {}) {
  const steps: string[] = []
  let isKnown = true
  let onLook = (): void => {}
  const authenticator = createAuthenticator({
    follower: {
      tables: {
        credential(id) {
          steps.push('look up')
          return isKnown && id === clientId
            ? { stream: { ...stream, ...more }, credential }
            : undefined
        },
      },
      async refresh() {
        steps.push('look again')
        onLook()
      },
    },
    failures: { fail: () => void steps.push('count') },
    keyOf: () => undefined,
    issuer: 'x',
    now: () => 0,
  })
  return {
    authenticator,
    steps,
    unknown: () => void (isKnown = false),
    whenLooking: (work: () => void) => void (onLook = work),
    known: () => void (isKnown = true),
  }
}

const refused = {
  code: 'invalid_credentials',
  message: 'The credentials are wrong, expired or revoked, or belong to another billing id',
}

test('the right secret is accepted at once', async () => {
  const { authenticator, steps } = setUp()
  expect(await authenticator.bySecret(secrets)).toMatchObject({ credential })
  expect(steps).toEqual(['look up'])
})

test('a billing id may be left out, a wrong one may not', async () => {
  const { authenticator } = setUp()
  const { clientSecret } = secrets
  expect(await authenticator.bySecret({ clientId, clientSecret })).toMatchObject({ credential })
  await expect(authenticator.bySecret({ ...secrets, billingId: 'other' })).rejects.toMatchObject(
    refused,
  )
})

test.each([
  ['a wrong secret', { clientSecret: 'wrong' }, {}],
  ['an unknown client', { clientId: 'nobody' }, {}],
  ['a wrong billing id', { billingId: 'other' }, {}],
  ['a deleted stream', {}, { state: 'deleting' as const }],
  ['a stream that is not announced', {}, { state: 'creating' as const }],
])('%s is refused with the same answer after the same steps', async (_, wrong, state) => {
  const { authenticator, steps } = setUp(state)
  await expect(authenticator.bySecret({ ...secrets, ...wrong })).rejects.toMatchObject(refused)
  expect(steps).toEqual(['look up', 'look again', 'look up', 'count'])
})

test('credentials that another replica has just made are found by looking again', async () => {
  const { authenticator, steps, unknown, known, whenLooking } = setUp()
  unknown()
  whenLooking(known)
  expect(await authenticator.bySecret(secrets)).toMatchObject({ credential })
  expect(steps).not.toContain('count')
})

test('a refresh token that does not verify is refused in the same words, and not counted', async () => {
  const { authenticator, steps } = setUp()
  await expect(authenticator.byRefreshToken('nonsense')).rejects.toMatchObject(refused)
  expect(steps).toEqual(['look again'])
})
