// The commands that send an event again: as it was sent if that is known, else with the values of the stream that
// decrypts most fields. The first command gets an id token for the input stream.
import type { Json } from '../api/json.ts'
import type { LiveEvent } from './live-store.ts'

type Target = { readonly input: string; readonly ingestUrl: string }

export function asCurl(event: LiveEvent, { input, ingestUrl }: Target): string {
  const body = JSON.stringify(bestOf(event))
  const sending = [
    `curl -i ${quoted(`${ingestUrl}/event`)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H ${quoted(`Svc-Schema-Id: ${event.contractId}`)}`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ')
  return `TOKEN=$(npx @weir/cli token ${input})\n${sending}`
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
