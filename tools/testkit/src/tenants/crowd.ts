// Creates one person with very many pseudonyms, by an account's events.
import { signUp, exampleEvent } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { connectProducer } from '../world/producer.ts'
import type { World } from '../world/services.ts'

const schemaId = 'demo_v1'
const eventsAtOnce = 1_000

export type TenantCrowd = {
  readonly account: Account
  /** The data subject's value. */
  readonly subject: string
  /** The path to request and list erasures of the person's stream. */
  readonly erasures: string
}

/** Creates an account with one data subject that has this many pseudonyms. */
export async function makeCrowd(
  { auth, ingest }: Pick<World, 'auth' | 'ingest'>,
  pseudonyms: number,
): Promise<TenantCrowd> {
  const account = await signUp(auth.url)
  await account.contract(schemaId, { data_subject_field: 'unique_identifier' })
  const limits = { eventRate: '999999999', eventCount: '999999999999' }
  const token = await account.token(await account.input('crowd', { limits }))
  const event = await exampleEvent(schemaId)
  const producer = await connectProducer(ingest.url)
  const headers = { 'content-type': 'application/x-ndjson' }
  for (let at = 0; at < pseudonyms; at += eventsAtOnce) {
    const count = Math.min(eventsAtOnce, pseudonyms - at)
    const lines = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ ...event, consistent_value: `device-${at + index}` }),
    )
    const sent = await producer.send(lines.join('\n'), {
      token,
      schemaId,
      path: '/events',
      headers,
    })
    if (sent.status !== 200 || !sent.body.includes(`"accepted":${count}`))
      throw new Error(`an event was not stored: ${sent.body.slice(0, 200)}`)
  }
  producer.close()
  return { account, subject: 'unique-1', erasures: '/v2/streams/crowd/erasures' }
}
