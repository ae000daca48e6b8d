// The forms in which an event may be sent: headers that name the contract and the encoding, and lenient JSON.
import type { Header } from './clients.ts'

/** Ways to name the contract. */
export const schemaIdHeaders: readonly [string, Header[]][] = [
  ['Svc-Schema-Id', [['Svc-Schema-Id', 'clickstream']]],
  ['Strm-Schema-Id', [['Strm-Schema-Id', 'clickstream']]],
  ['Strm-Schema-Ref', [['Strm-Schema-Ref', 'clickstream']]],
  [
    'the first of the list, wherever it stands',
    [
      ['strm-schema-ref', 'nonsense'],
      ['strm-schema-id', 'nonsense'],
      ['svc-schema-id', 'clickstream'],
    ],
  ],
  [
    'the second when the first is missing',
    [
      ['strm-schema-ref', 'nonsense'],
      ['strm-schema-id', 'clickstream'],
    ],
  ],
]

/**
 * The headers that select JSON or Avro. Each entry has a title, the form of the body, its headers, and the expected
 * status.
 */
export const typeHeaders: readonly [string, 'json' | 'avro', Header[], number][] = [
  [
    'Svc-Serialization-Type decides over Content-Type',
    'json',
    [
      ['svc-serialization-type', 'application/json'],
      ['content-type', 'avro/binary'],
    ],
    204,
  ],
  [
    'Svc-Serialization-Type decides over the first byte',
    'json',
    [['svc-serialization-type', 'application/x-avro-binary']],
    400,
  ],
  [
    'Strm-Serialization-Type is the same',
    'avro',
    [
      ['strm-serialization-type', 'application/x-avro-binary'],
      ['content-type', 'application/json'],
    ],
    204,
  ],
  [
    'Svc-Serialization-Type comes before its alias',
    'avro',
    [
      ['strm-serialization-type', 'application/json'],
      ['svc-serialization-type', 'application/x-avro-binary'],
    ],
    204,
  ],
  ['Content-Type decides over the first byte', 'avro', [['content-type', 'application/json']], 400],
  [
    'Content-Type may have parameters',
    'json',
    [['content-type', 'Application/JSON; charset=utf-8']],
    204,
  ],
  ['Content-Type: avro/binary is Avro', 'avro', [['content-type', 'avro/binary']], 204],
  [
    'a Content-Type that says nothing leaves it to the first byte',
    'json',
    [['content-type', 'text/plain']],
    204,
  ],
  [
    'a serialization type that is not known leaves it to the Content-Type',
    'avro',
    [
      ['svc-serialization-type', 'application/x-protobuf'],
      ['content-type', 'avro/binary'],
    ],
    204,
  ],
  ['without either the first byte decides: a brace is JSON', 'json', [], 204],
  ['without either the first byte decides: anything else is Avro', 'avro', [], 204],
]

/** Removes the names of union branches from Avro JSON. */
export function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [branch] = entries
  if (entries.length === 1 && branch && ['string', 'int', 'boolean'].includes(branch[0]))
    return branch[1]
  return Object.fromEntries(entries.map(([name, part]) => [name, flat(part)]))
}
