// Requests with several faults, in the order in which ingest must detect them.
import { asObject, exampleEvent } from '@weir/testkit'
import type { Header, Sent } from './clients.ts'
import { bearer, schema } from './scene.ts'

/** The faults of a request, in the order in which ingest must detect them. */
export const faults = [
  ['path', 404, 'not_found'],
  ['method', 405, 'method_not_allowed'],
  ['token', 401, 'invalid_token'],
  ['kind', 403, 'not_an_input_stream'],
  ['scope', 403, 'scope_missing'],
  ['enabled', 403, 'stream_disabled'],
  ['eventCount', 402, 'event_count_used_up'],
  ['eventRate', 429, 'event_rate_exceeded'],
  ['encoding', 415, 'unsupported_encoding'],
  ['size', 413, 'too_large'],
  ['schema id', 400, 'schema_id_missing'],
  ['unknown contract', 400, 'unknown_schema_id'],
  ['gzip', 400, 'undecodable'],
  ['decoding', 400, 'undecodable'],
  ['key', 400, 'key_field_empty'],
  ['levels', 400, 'invalid_consent_levels'],
  ['validation', 400, 'validation_failed'],
] as const
export type Fault = (typeof faults)[number][0]

/** The faults of tokens. As far as possible, each token has the later faults of this list, too. */
const tokenFaults = ['token', 'kind', 'scope', 'enabled', 'eventCount', 'eventRate'] as const

/** `wrong` has a token for each of these faults; `good` has no fault. */
export type Tokens = { readonly good: string; readonly wrong: ReadonlyMap<Fault, string> }

export async function requestWith(wrong: readonly Fault[], tokens: Tokens): Promise<Sent> {
  const is = (fault: Fault): boolean => wrong.includes(fault)
  const tokenFault = tokenFaults.find(is)
  const token = tokenFault === undefined ? tokens.good : (tokens.wrong.get(tokenFault) ?? '')
  const event = await exampleEvent('clickstream')
  const body = JSON.stringify({
    ...event,
    ...(is('size') ? { referrer: 'r'.repeat(1_048_576) } : {}),
    ...(is('decoding') ? { conversion: 'many' } : {}),
    ...(is('key') ? { producerSessionId: '' } : {}),
    ...(is('levels') ? { svcMeta: { ...asObject(event['svcMeta']), consentLevels: [256] } } : {}),
    ...(is('validation') ? { url: 'nowhere' } : {}),
  })
  const headers: Header[] = [bearer(token)]
  if (!is('schema id')) headers.push(schema(is('unknown contract') ? 'unknown' : 'clickstream'))
  if (is('encoding')) headers.push(['content-encoding', 'br'])
  else if (is('gzip')) headers.push(['content-encoding', 'gzip'])
  return {
    method: is('method') ? 'PUT' : 'POST',
    path: is('path') ? '/nowhere' : '/event',
    headers,
    body,
  }
}
