// The command that sends an event again: as it was sent if that is known, else with the values of the stream that
// decrypts most fields.
import type { Json } from '../api/json.ts'
import type { LiveEvent } from './live-store.ts'

export function asCurl(event: LiveEvent, ingestUrl: string): string {
  const body = JSON.stringify(bestOf(event))
  return [
    `curl -i ${quoted(`${ingestUrl}/event`)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H ${quoted(`Svc-Schema-Id: ${event.contractId}`)}`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
}

function bestOf({ sent, sealed, opened }: LiveEvent): Json {
  if (sent !== undefined) return sent
  const open = (event: Json): number => differences(event, sealed)
  return [...opened.values()].sort((a, b) => open(b) - open(a))[0] ?? sealed
}

function differences(a: unknown, b: unknown): number {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null)
    return a === b ? 0 : 1
  const others = new Map<string, unknown>(Object.entries(b))
  return Object.entries(a).reduce(
    (sum, [name, value]) => sum + differences(value, others.get(name)),
    0,
  )
}

/** Quotes a text for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
