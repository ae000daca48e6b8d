// Test data: a contract in the form of the page, and what a search for a person found.
import type { Held } from '../web/api/held.ts'
import type { FoundPlaces } from '../web/people/places.ts'
import type { Contract } from '../web/api/account.ts'

export const contract = (more: Partial<Contract> = {}): Contract => ({
  id: 'clicks',
  status: 'active',
  schema: {
    type: 'record',
    name: 'Click',
    fields: [
      {
        name: 'svcMeta',
        type: {
          type: 'record',
          name: 'Meta',
          fields: [
            { name: 'schemaId', type: 'string' },
            { name: 'timestamp', type: { type: 'long', logicalType: 'date' } },
            { name: 'keyLink', type: ['null', 'int'], default: null },
            { name: 'consentLevels', type: { type: 'array', items: 'int' } },
          ],
        },
      },
      {
        name: 'person',
        type: {
          type: 'record',
          name: 'Person',
          fields: [
            { name: 'id', type: 'string' },
            { name: 'name', type: ['null', 'string'], default: null },
          ],
        },
      },
      { name: 'page', type: 'string' },
      { name: 'count', type: 'int' },
      { name: 'isNew', type: 'boolean' },
      { name: 'colour', type: { type: 'enum', name: 'Colour', symbols: ['red', 'blue'] } },
      { name: 'tags', type: { type: 'array', items: 'string' } },
      { name: 'more', type: { type: 'map', values: 'int' } },
    ],
  },
  subject: 'acme-clicks/latest',
  validations: [{ field: 'page', pattern: '^https?://' }],
  keyField: 'person/id',
  levels: new Map([
    ['person/id', 1],
    ['person/name', 0],
  ]),
  subjectField: '',
  ...more,
})

export const held = (more: Partial<Held>): Held => ({
  name: 'clicks',
  kind: 'input',
  events: 3,
  erased: 0,
  fields: [],
  until: '2026-12-24T10:00:00.000Z',
  because: '',
  ...more,
})

export const found = (stream: string, more: Partial<FoundPlaces> = {}) => ({
  stream,
  by: [{ contract: 'visits' }],
  held: [held({ name: stream })],
  consent: [{ level: 0 }, { level: 2 }],
  isErased: false,
  withdrawn: [],
  notSearched: '',
  ...more,
})
