import type { ErasureRecord } from '@weir/control-state'

export const erasureRecord = (more: Partial<ErasureRecord> = {}): ErasureRecord => ({
  type: 'erasure',
  as: ['key_field'],
  found: { values: 1, events: 1, by: [], searchedAtMs: 1_800_000_000_000 },
  erasureId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  billingId: 'acme',
  streamId: 's1',
  subjects: ['x'],
  counted: 1,
  levels: [0, 1],
  terms: [54],
  pieces: 1,
  keks: ['file:test:1'],
  acceptedAtMs: 1_800_000_000_000,
  ...more,
})
