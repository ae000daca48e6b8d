// A contract with personal fields that are nullable lists, or in nullable records. The example contracts have none.
const nullable = (name: string, type: unknown) => ({ name, type: ['null', type], default: null })
const texts = { type: 'array', items: 'string' }

const envelope = {
  type: 'record',
  name: 'Envelope',
  fields: [
    nullable('schemaId', 'string'),
    nullable('nonce', 'int'),
    nullable('timestamp', 'long'),
    nullable('keyLink', 'string'),
    nullable('billingId', 'string'),
    { name: 'consentLevels', type: { type: 'array', items: 'int' } },
  ],
}

const home = {
  type: 'record',
  name: 'Home',
  fields: [nullable('street', 'string'), { name: 'city', type: 'string' }],
}

const profile = {
  type: 'record',
  name: 'Profile',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'phones', type: texts },
    nullable('home', home),
    { name: 'plan', type: 'string' },
  ],
}

/** The body for `POST /v2/contracts`. */
export const peopleContract = (billingId: string): Record<string, unknown> => ({
  id: 'people',
  schema: {
    schema_type: 'avro',
    schema_registry_ref: `${billingId.replaceAll('-', '_')}-people/latest`,
    definition: {
      type: 'record',
      name: 'Person',
      fields: [
        { name: 'svcMeta', type: envelope },
        { name: 'profile', type: profile },
        { name: 'nicknames', type: texts },
        { name: 'colours', type: texts },
      ],
    },
  },
  validations: [],
  key_field: 'profile/id',
  pii_fields: { 'profile/id': 2, 'profile/phones': 1, 'profile/home/street': 3, nicknames: 0 },
})

const meta = { schemaId: null, nonce: null, timestamp: null, keyLink: null, billingId: null }

export type Person = {
  phones: string[]
  nicknames: string[]
  home: { street: string | null; city: string } | null
}

/** An event of `peopleContract` in Avro JSON. */
export const personEvent =
  ({ phones, nicknames, home: lives }: Person) =>
  (consent: number[]) => ({
    svcMeta: { ...meta, consentLevels: consent },
    profile: {
      id: 'ada',
      phones,
      home:
        lives === null
          ? null
          : { Home: { ...lives, street: lives.street === null ? null : { string: lives.street } } },
      plan: 'free',
    },
    nicknames,
    colours: ['red', 'red'],
  })
