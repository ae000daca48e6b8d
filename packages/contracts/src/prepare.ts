// Checks a submitted contract. Returns its problems, or its prepared form. Accepts any JSON value and any
// text. Does not read the registry, accounts or other contracts.
import { limitProblems } from './avro/limits.ts'
import { parseSchema } from './avro/schema.ts'
import type { RecordType } from './avro/types.ts'
import { isFields } from './avro/values.ts'
import type { Fields } from './avro/values.ts'
import { isContractId, parseSchemaRef } from './contract-ids.ts'
import { envelopeName, envelopeProblems, levelMax } from './envelope.ts'
import { obstacleOn, isCheckable, isListOfText, isText, typeAt } from './paths.ts'
import { chooseEngines, patternProblem, patternSize } from './pattern/engine.ts'
import type { PreparedContract, Validation } from './types.ts'

export type Preparation =
  | { readonly problems: readonly string[] }
  | { readonly prepared: PreparedContract }

const problemsMax = 100
const validationsMax = 100
const piiFieldsMax = 1_000
/**
 * The maximum size of all patterns together, with repeats written out. Patterns of this size compile in about 50 ms.
 */
const sizeMax = 10_000

/** Returns the text of the schema in the contract itself; undefined if there is none. */
export function definitionText(input: unknown): string | undefined {
  const schema = isFields(input) ? input['schema'] : undefined
  const definition = isFields(schema) ? schema['definition'] : undefined
  if (typeof definition === 'string') return definition
  try {
    return JSON.stringify(definition)
  } catch {
    // nested too deep for JSON.stringify, so it is no valid schema either
    return '{}'
  }
}

/**
 * @param schemaText the schema that the ref names, or `definitionText`; undefined if there is neither
 * @param account the account whose queue the patterns wait in; patterns are proved only if everything else is valid
 * @throws ContractsError `contracts.unavailable` if the patterns of other accounts take too long
 */
export async function prepareContract(
  input: unknown,
  schemaText: string | undefined,
  account = '',
): Promise<Preparation> {
  const contract = isFields(input) ? input : {}
  const problems: string[] = []
  const report = (place: string, sentence: string): void => {
    if (problems.length < problemsMax) problems.push(`${place}: ${sentence}`)
  }
  checkNames(contract, account, report)
  const root = checkSchema(schemaText, report)
  const checked = checkValidations(contract['validations'], root, report)
  const piiFields = checkPiiFields(contract['pii_fields'], root, report)
  const keyField = checkTextField('key_field', contract['key_field'], root, report)
  const subject = contract['data_subject_field']
  const dataSubjectField =
    subject === undefined ? undefined : checkTextField('data_subject_field', subject, root, report)
  if (dataSubjectField !== undefined && dataSubjectField === keyField)
    report('data_subject_field', 'must be another field than key_field')
  const validations = problems.length > 0 ? [] : await withEngines(checked, account, report)
  if (problems.length > 0) return { problems }
  return {
    prepared: {
      id: textOf(contract['id']),
      schemaText: schemaText ?? '',
      validations,
      keyField,
      piiFields,
      ...(dataSubjectField === undefined ? {} : { dataSubjectField }),
    },
  }
}

type Report = (place: string, sentence: string) => void

function problemOfPath(root: RecordType, path: string): string {
  const obstacle = obstacleOn(root, path)
  if (obstacle !== undefined)
    return `lies in a ${obstacle}, but a path leads only through records and unions of null and a record`
  const meant = path.replaceAll('.', '/')
  return meant !== path && typeAt(root, meant)
    ? `names no field of the event: write ${meant}`
    : 'names no field of the event'
}
/** Avoids String(): a JSON object may have a toString that is not a function. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const quote = (text: string): string => JSON.stringify(text.slice(0, 100))

function checkNames(contract: Fields, account: string, report: Report): void {
  const { id } = contract
  if (typeof id !== 'string' || !isContractId(id)) {
    report(
      'id',
      'must be a short name, or <owner>/<name>/<version> with a semantic version; a name has letters, digits and . _ -, and begins with a letter or digit',
    )
  }
  const schema = isFields(contract['schema']) ? contract['schema'] : {}
  if (schema['schema_type'] !== 'avro') report('schema.schema_type', 'must be avro')
  const ref = schema['schema_registry_ref']
  if (typeof ref !== 'string' || !parseSchemaRef(ref)) {
    report(
      'schema.schema_registry_ref',
      `must be <subject>/<version or latest>, with a subject such as ${account || 'acme'}-clicks: the billing id, a hyphen and a name`,
    )
  }
}

/** Returns undefined if the schema is missing or invalid. Then paths are not checked. */
function checkSchema(text: string | undefined, report: Report): RecordType | undefined {
  const place = 'schema.definition'
  if (text === undefined) {
    report(place, 'is missing, and the registry has none under the ref')
    return undefined
  }
  const result = parseSchema(text)
  const problems = 'type' in result ? [] : result.problems
  for (const problem of problems) report(place, problem)
  if (!('type' in result)) return undefined
  const { type } = result
  if (type.kind !== 'record') {
    report(place, 'must be a record')
    return undefined
  }
  for (const problem of [...envelopeProblems(type), ...limitProblems(type)]) report(place, problem)
  return type
}

type CheckedValidation = { readonly place: string; readonly field: string; readonly value: string }

function checkValidations(
  given: unknown,
  root: RecordType | undefined,
  report: Report,
): CheckedValidation[] {
  if (!Array.isArray(given) || given.length > validationsMax) {
    report('validations', `must be a list of no more than ${validationsMax}, which may be empty`)
    return []
  }
  const validations = given.flatMap((item: unknown, index): CheckedValidation[] => {
    const { field, type, value } = isFields(item) ? item : {}
    const place = `validations[${index}]`
    checkValidatedField(`${place}.field`, field, root, report)
    if (type !== 'regex') report(`${place}.type`, 'must be regex')
    const problem = typeof value === 'string' ? patternProblem(value) : 'must be a string'
    if (problem !== undefined) report(`${place}.value`, problem)
    return typeof value === 'string' && problem === undefined
      ? [{ place, field: textOf(field), value }]
      : []
  })
  if (validations.reduce((size, { value }) => size + patternSize(value), 0) > sizeMax)
    report(
      'validations',
      `have patterns with more than ${sizeMax} steps together; use simpler ones`,
    )
  return validations
}

async function withEngines(
  validations: readonly CheckedValidation[],
  account: string,
  report: Report,
): Promise<Validation[]> {
  const choices = await chooseEngines(
    validations.map(({ value }) => value),
    account,
  )
  return validations.flatMap(({ place, field, value }, index): Validation[] => {
    const choice = choices[index]
    if (choice && 'engine' in choice)
      return [{ field, type: 'regex', value, engine: choice.engine }]
    report(`${place}.value`, choice?.problem ?? 'has no engine')
    return []
  })
}

function checkValidatedField(
  place: string,
  field: unknown,
  root: RecordType | undefined,
  report: Report,
): void {
  if (typeof field !== 'string') return report(place, 'must be a string')
  if (!root) return
  const type = typeAt(root, field)
  if (!type) return report(place, `${quote(field)} ${problemOfPath(root, field)}`)
  if (!isCheckable(type)) {
    report(place, `${quote(field)} is no string, nullable string or list of strings`)
  }
}

function checkPiiFields(
  given: unknown,
  root: RecordType | undefined,
  report: Report,
): Readonly<Record<string, number>> {
  if (!isFields(given)) {
    report('pii_fields', 'must be an object that maps field paths to consent levels')
    return {}
  }
  const entries = Object.entries(given)
  if (entries.length > piiFieldsMax) {
    report('pii_fields', `must name no more than ${piiFieldsMax} fields`)
    return {}
  }
  const levels = new Map<string, number>()
  for (const [path, level] of entries) {
    const place = `pii_fields[${quote(path)}]`
    if (typeof level !== 'number' || !Number.isInteger(level) || level < 0 || level > levelMax) {
      report(place, `must be a consent level, an integer from 0 to ${levelMax}`)
    } else {
      levels.set(path, level)
    }
    if (root) checkPiiField(place, path, root, report)
  }
  return Object.fromEntries(levels)
}

function checkPiiField(place: string, path: string, root: RecordType, report: Report): void {
  const type = typeAt(root, path)
  if (!type) return report(place, problemOfPath(root, path))
  if (isInEnvelope(path)) return report(place, `must not lie in ${envelopeName}`)
  if (!isText(type) && !isListOfText(type)) {
    report(place, 'is no string, nullable string or list of strings')
  }
}

const isInEnvelope = (path: string): boolean => path.split('/')[0] === envelopeName

/** Checks a path that must lead to one string, which may be nullable. Returns the path. */
function checkTextField(
  place: string,
  path: unknown,
  root: RecordType | undefined,
  report: Report,
): string {
  const type = root && typeof path === 'string' ? typeAt(root, path) : undefined
  if (typeof path !== 'string')
    report(place, path === undefined ? 'is missing' : 'must be a string')
  else if (root && !type) report(place, `${quote(path)} ${problemOfPath(root, path)}`)
  else if (isInEnvelope(path)) report(place, `must not lie in ${envelopeName}`)
  else if (type && !isText(type)) report(place, `${quote(path)} is no string or nullable string`)
  return textOf(path)
}
