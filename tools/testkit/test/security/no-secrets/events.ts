// Sends events that are accepted and refused in every way. Each event has different values in every field.
import { gzipSync } from 'node:zlib'

import { expect } from '@jest/globals'

import { exampleEvent } from '../../../src/world/account.ts'
import type { Account, ExampleContract, TestStream } from '../../../src/world/account.ts'
import type { ProducerAnswer, Producer } from '../../../src/world/producer.ts'
import { compiledExample } from '../../../src/world/topic.ts'
import type { Witness } from '../../../src/world/witness.ts'

export type Run = {
  readonly witness: Witness
  /** Every refusal, except the sentences about validations. */
  readonly refusals: string[]
  readonly account: Account
  readonly producer: Producer
  readonly derived: TestStream
}

export const names = [
  'clickstream',
  'demo_v1',
  'nps_unified_v1',
  'partner_nps_unified_v1',
  'demo_event',
] as const satisfies ExampleContract[]
const schemaIdOf = (name: ExampleContract) => (name === 'demo_event' ? 'demo/event/1.0.0' : name)

/** Returns the event with a different text in each field, except in the envelope. */
function withValues(
  { witness }: Run,
  event: Record<string, unknown>,
  label: string,
): Record<string, unknown> {
  const entries = Object.entries(event).map(([name, value]): [string, unknown] => {
    if (name === 'svcMeta') return [name, value]
    const made = witness.newValue(`${label}, field ${name}`)
    return [name, replaceTexts(value, name === 'url' ? `https://example.com/${core(made)}` : made)]
  })
  return Object.fromEntries(entries)
}

const core = (made: string): string => /[0-9a-f]{32}/.exec(made)?.[0] ?? ''

function replaceTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, text))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, held]) => [name, replaceTexts(held, text)])
  return Object.fromEntries(entries)
}

const eventOf = async (run: Run, name: ExampleContract, what: string) =>
  withValues(run, await exampleEvent(name), `${what} ${name}`)

function noteAnswer({ refusals }: Run, { status, headers, body }: ProducerAnswer): number {
  if (status >= 400 && headers['svc-error'] !== 'validation_failed')
    refusals.push(`${JSON.stringify(headers)} ${body}`)
  return status
}

async function send(
  run: Run,
  body: string | Buffer | object,
  options: Parameters<Producer['send']>[1],
): Promise<number> {
  return noteAnswer(run, await run.producer.send(body, options))
}

export async function sendGoodEvents(run: Run, token: string): Promise<number> {
  for (const name of names) {
    const schemaId = schemaIdOf(name)
    expect(await send(run, await eventOf(run, name, 'a good'), { token, schemaId })).toBe(204)
    const contract = await compiledExample(name)
    const json = Buffer.from(JSON.stringify(await eventOf(run, name, 'a good Avro')))
    const avro = contract.encode(contract.readJson(json))
    const zipped = { 'content-encoding': 'gzip' }
    expect(await send(run, avro, { token, schemaId })).toBe(204)
    expect(await send(run, gzipSync(avro), { token, schemaId, headers: zipped })).toBe(204)
  }
  return names.length * 3
}

export async function sendBadEvents(run: Run, token: string): Promise<void> {
  const { witness } = run
  for (const name of names) {
    const to = { token, schemaId: schemaIdOf(name) }
    const text = JSON.stringify(await eventOf(run, name, 'a cut-off'))
    const contract = await compiledExample(name)
    const whole = Buffer.from(JSON.stringify(await eventOf(run, name, 'a broken Avro')))
    const avro = contract.encode(contract.readJson(whole))
    const withNumber = { ...(await eventOf(run, name, 'a mistyped')), svcMeta: 1 }
    const svcMeta = { consentLevels: [999] }
    const withLevel = { ...(await eventOf(run, name, 'an unknown level in')), svcMeta }
    const bodies = [text.slice(0, -9), `${text}}`, avro.subarray(9), avro.subarray(0, -3)]
    for (const body of [...bodies, withNumber, withLevel])
      expect(await send(run, body, to)).toBe(400)
    const nobody = [
      undefined,
      witness.newValue('a made-up token').replace(/\W/g, ''),
      forged(run, token),
    ]
    for (const bad of nobody) {
      const headers = bad === undefined ? {} : { authorization: `Bearer ${bad}` }
      const event = await eventOf(run, name, 'an unauthorised')
      expect(await send(run, event, { schemaId: schemaIdOf(name), headers })).toBe(401)
    }
  }
}

/** Returns a token with an invalid signature. */
export function forged({ witness }: Run, token: string): string {
  const [head = '', claims = ''] = token.split('.')
  return witness.knows(
    'a forged token',
    `${head}.${claims}.${core(witness.newValue('')).repeat(8)}`,
  )
}

export async function sendOtherwise(run: Run, token: string): Promise<void> {
  const { witness, account, derived } = run
  const schemaId = 'clickstream'
  const event = async (what: string) => eventOf(run, 'clickstream', what)
  const invalid = { ...(await event('an invalid')), url: witness.newValue('a validated url') }
  expect(await send(run, invalid, { token, schemaId })).toBe(400)
  const huge = { ...(await event('a huge')), referrer: 'x'.repeat(1_100_000) }
  expect(await send(run, huge, { token, schemaId })).toBe(413)
  const encoding = (name: string) => ({ 'content-encoding': name })
  expect(
    await send(run, await event('an oddly encoded'), { token, schemaId, headers: encoding('br') }),
  ).toBe(415)
  expect(
    await send(run, await event('an unzipped'), { token, schemaId, headers: encoding('gzip') }),
  ).toBe(400)
  expect(await send(run, await event('a contractless'), { token })).toBe(400)
  expect(await send(run, await event('a strange'), { token, schemaId: 'unknown' })).toBe(400)
  const query = `?token=${token}&key=${witness.newValue('a query').replace(/\W/g, '')}`
  expect(
    await send(run, await event('a lost'), { token, schemaId, path: `/events-${query}` }),
  ).toBe(404)
  expect(await send(run, '', { token, schemaId, method: 'PUT', path: `/event${query}` })).toBe(405)
  const derivedToken = witness.knows('a derived token', await account.token(derived))
  expect(await send(run, await event('a misdirected'), { token: derivedToken, schemaId })).toBe(403)
}
