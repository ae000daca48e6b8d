// Finds unknown members of a contract. Each is a problem, because a misspelt `pii_fields` would leave plaintext in the
// stream. The values of members are not checked here.

const contractMembers = [
  'id',
  'schema',
  'validations',
  'key_field',
  'pii_fields',
  'data_subject_field',
]
const schemaMembers = ['schema_type', 'schema_registry_ref', 'definition']
const validationMembers = ['field', 'type', 'value']
/** The maximum of reported members per object, and of checked validations. A valid contract has no more. */
const toldMax = 100

/** Returns one sentence per unknown member. */
export function unknownMembers(contract: object): string[] {
  const schema: unknown = 'schema' in contract ? contract.schema : undefined
  const validations: unknown = 'validations' in contract ? contract.validations : undefined
  return [
    ...unknownIn('', contract, contractMembers),
    ...unknownIn('schema.', schema, schemaMembers),
    ...(Array.isArray(validations) ? validations : [])
      .slice(0, toldMax)
      .flatMap((validation: unknown, index) =>
        unknownIn(`validations[${index}].`, validation, validationMembers),
      ),
  ]
}

function unknownIn(place: string, value: unknown, known: readonly string[]): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value)
    .filter((member) => !known.includes(member))
    .slice(0, toldMax)
    .map((member) => `${place}${member}: is not known here; the members are ${known.join(', ')}`)
}
