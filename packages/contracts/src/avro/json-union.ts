// Reads unions in JSON. The strict reading accepts null, and an object with one member that names the branch:
// {"string": "a"}. The lenient reading also accepts a plain value that fits exactly one branch. If an object fits
// both ways, its member names the branch.
import { Unreadable } from '../unreadable.ts'
import { refuseJson } from './json-reading.ts'
import type { ReadJson, JsonReading } from './json-reading.ts'
import { oncePerType } from './per-type.ts'
import { branchName, describeType, namesTold, nullableOf } from './types.ts'
import type { AvroType, RecordType, UnionType } from './types.ts'
import { isFields } from './values.ts'

type BranchReader = {
  readonly name: string
  readonly read: ReadJson
  /** The JSON type of a plain value. `mayBe` compares only the names of members. */
  readonly kind: JsonKind
  readonly mayBe: (json: unknown, keys: readonly string[]) => boolean
  /** Whether the branch is a map, or a record with this field. */
  readonly mayHave: (key: string) => boolean
}

type Union = {
  readonly branches: readonly BranchReader[]
  readonly named: ReadonlyMap<string, BranchReader>
  /** The error sentence for a value that fits no branch. */
  readonly sentence: string
  /** How to name a branch, for error sentences. */
  readonly advice: string
}

export function readUnion(type: UnionType, compile: (branch: AvroType) => ReadJson): ReadJson {
  const isPlain = nullableOf(type) !== undefined
  const branches = type.branches.map((branchType, branch) => {
    const read = compile(branchType)
    if (isPlain) return branchOf(branchType, read)
    return branchOf(branchType, (json, reading, depth) => ({
      branch,
      value: read(json, reading, depth),
    }))
  })
  const named = new Map(branches.map((branch) => [branch.name, branch]))
  const nullBranch = named.get('null')
  const sentence = `is not ${describeType(type)}`
  const names = namesTold(branches.map(({ name }) => name))
  const advice = `say it as {"<branch>": <value>}, with the branch one of ${names}`
  const union = { branches, named, sentence, advice }
  return (json, reading, depth) => {
    if (json === null) {
      if (nullBranch === undefined) throw refuseJson(reading, sentence)
      return nullBranch.read(json, reading, depth)
    }
    if (reading.isLenient) return readLeniently(union, json, reading, depth)
    const branch = nameIn(named, json)
    if (branch === undefined) throw refuseJson(reading, sentence)
    return readNamed(branch, json, reading, depth)
  }
}

/** Returns the branch that the only member of an object names, if any. */
function nameIn(named: Union['named'], json: unknown): BranchReader | undefined {
  if (!isFields(json)) return undefined
  const keys = Object.keys(json)
  return keys.length === 1 && keys[0] !== 'null' ? named.get(keys[0] ?? '') : undefined
}

function readNamed(branch: BranchReader, json: unknown, reading: JsonReading, depth: number) {
  reading.members += 1
  return branch.read(isFields(json) ? json[branch.name] : undefined, reading, depth)
}

function readLeniently(union: Union, json: unknown, reading: JsonReading, depth: number): unknown {
  const name = nameIn(union.named, json)
  const kind = jsonKindOf(json)
  const ofKind = union.branches.filter((branch) => branch.kind === kind)
  const keys = isFields(json) ? Object.keys(json) : []
  const ofShape = ofKind.filter((branch) => branch.mayBe(json, keys))
  if (name !== undefined && ofShape.length === 0) return readNamed(name, json, reading, depth)
  if (name === undefined && ofShape.length === 0) refuseShape(union, ofKind, json)
  // If no branch fits, the only branch of the same kind gives the most precise error.
  const plain = ofShape.length === 0 ? ofKind : ofShape
  const [only] = plain
  if (!only) throw new Unreadable(union.sentence)
  if (name === undefined && plain.length === 1) return only.read(json, reading, depth)
  if (kind === 'object' && plain.length > trialsMax) throw new Unreadable(severalFit(union))
  return settle(union, reading, [
    name === undefined ? [] : [() => readNamed(name, json, reading, depth)],
    plain.map((branch) => () => branch.read(json, reading, depth)),
  ])
}

const severalFit = ({ advice }: Union): string =>
  `fits more than one branch of its union: ${advice}`

/** Throws if an object fits no branch because the name of a branch is wrong or missing. */
function refuseShape(
  { branches, advice }: Union,
  ofKind: readonly BranchReader[],
  json: unknown,
): void {
  const [key = '', ...more] = isFields(json) ? Object.keys(json) : []
  const isName =
    isFields(json) &&
    more.length === 0 &&
    isFields(json[key]) &&
    !ofKind.some((branch) => branch.mayHave(key))
  const full = branches.find(({ name }) => isName && lastOf(name) === lastOf(key))
  if (full !== undefined)
    throw new Unreadable(
      `names a branch of its union without its namespace, or with another one: say it as {"${full.name}": <value>}`,
    )
  if (isName && ofKind.length > 0) throw new Unreadable(`names no branch of its union: ${advice}`)
  if (ofKind.length > 1) throw new Unreadable(`fits no branch of its union: ${advice}`)
}

const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** The maximum number of branches that are tried for a plain object. Each trial reads all of it. */
const trialsMax = 8

/** Returns the value from the first group that has a fitting branch. Throws if several branches of this group fit. */
function settle(
  union: Union,
  reading: JsonReading,
  groups: readonly (readonly (() => unknown)[])[],
): unknown {
  if (reading.isTrial) {
    throw new Unreadable('has a union within a union: say their branches as {"<branch>": <value>}')
  }
  const { members } = reading
  let failure: unknown = new Unreadable('fits no branch of its union')
  for (const group of groups) {
    const fitting: { value: unknown; members: number }[] = []
    for (const attempt of group) {
      reading.members = members
      reading.isTrial = true
      try {
        fitting.push({ value: attempt(), members: reading.members })
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        failure = error
      } finally {
        reading.isTrial = false
      }
    }
    const [only] = fitting
    if (fitting.length > 1) throw new Unreadable(severalFit(union))
    if (only) {
      reading.members = only.members
      return only.value
    }
  }
  throw failure
}

type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'list' | 'object'

function jsonKindOf(json: unknown): JsonKind {
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'list'
  if (typeof json === 'object') return 'object'
  return typeof json === 'number' ? 'number' : typeof json === 'boolean' ? 'boolean' : 'string'
}

const jsonKinds: Readonly<Record<Exclude<AvroType['kind'], 'union'>, JsonKind>> = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  bytes: 'string',
  string: 'string',
  fixed: 'string',
  enum: 'string',
  array: 'list',
  map: 'object',
  record: 'object',
}

function branchOf(type: AvroType, read: ReadJson): BranchReader {
  const kind = type.kind === 'union' ? 'null' : jsonKinds[type.kind]
  const mayBe = type.kind === 'record' ? mayBeRecord(type) : () => true
  const mayHave = type.kind === 'record' ? hasField(type) : () => type.kind === 'map'
  return { name: branchName(type), read, kind, mayBe, mayHave }
}

const hasField = oncePerType(({ fields }: RecordType): BranchReader['mayHave'] => {
  const names = new Set(fields.map((field) => field.name))
  return (key) => names.has(key)
})

const mayBeRecord = oncePerType(({ fields }: RecordType): BranchReader['mayBe'] => {
  const names = new Set(fields.map((field) => field.name))
  const required = fields.flatMap((field) => (field.default ? [] : [field.name]))
  return (json, keys) =>
    isFields(json) &&
    keys.length >= required.length &&
    keys.every((key) => names.has(key)) &&
    required.every((key) => Object.hasOwn(json, key))
})
