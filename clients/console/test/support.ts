// A contract in the page's form, for tests: a person with an id of level 1 and a name, a page, and more.
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
