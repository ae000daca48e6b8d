// Unions in JSON. Strictly, a value other than null is an object with one member, named for its branch: {"string":
// "a"}. Leniently, a plain value that exactly one branch fits is accepted; if both readings are possible, the strict
// one wins.
import { Unreadable } from '../unreadable.ts'
import { refuseJson } from './json-reading.ts'
import type { ReadJson, JsonReading } from './json-reading.ts'
import { oncePerType } from './per-type.ts'
import { branchName, describeType, nullableOf } from './types.ts'
import type { AvroType, RecordType, UnionType } from './types.ts'
import { isFields } from './values.ts'

export function readUnion(type: UnionType, reads: readonly ReadJson[]): ReadJson {
  const isPlain = nullableOf(type) !== undefined
  const names = type.branches.map(branchName)
  const named = new Map(names.map((name, branch) => [name, branch]))
  const nullBranch = named.get('null')
  const shapes = type.branches.map(shapeOf)
  const sentence = `is not ${describeType(type)}`

  const readBranch = (
    branch: number,
    json: unknown,
    reading: JsonReading,
    depth: number,
  ): unknown => {
    const value = reads[branch]?.(json, reading, depth)
    return isPlain ? value : { branch, value }
  }

  function readNamed(branch: number, json: unknown, reading: JsonReading, depth: number): unknown {
    reading.members += 1
    const inner = isFields(json) ? json[names[branch] ?? ''] : undefined
    return readBranch(branch, inner, reading, depth)
  }

  /** The branch that an object of one member names, if any. */
  function nameIn(json: unknown): number | undefined {
    if (!isFields(json)) return undefined
    const keys = Object.keys(json)
    return keys.length === 1 && keys[0] !== 'null' ? named.get(keys[0] ?? '') : undefined
  }

  function readLeniently(json: unknown, reading: JsonReading, depth: number): unknown {
    const name = nameIn(json)
    const kind = jsonKindOf(json)
    const ofKind = shapes.filter((shape) => shape.kind === kind)
    const keys = isFields(json) ? Object.keys(json) : []
    const ofShape = ofKind.filter((shape) => shape.mayBe(json, keys))
    if (name !== undefined && ofShape.length === 0) return readNamed(name, json, reading, depth)
    // if only one is left, reading it also finds the words for what is wrong
    const plain = ofShape.length === 0 ? ofKind : ofShape
    const [only] = plain
    if (!only) throw new Unreadable(sentence)
    if (name === undefined && plain.length === 1) {
      return readBranch(only.branch, json, reading, depth)
    }
    if (kind === 'object' && plain.length > trialsMax) throw new Unreadable(sayBranch)
    return settle(reading, [
      name === undefined ? [] : [() => readNamed(name, json, reading, depth)],
      plain.map(
        ({ branch }) =>
          () =>
            readBranch(branch, json, reading, depth),
      ),
    ])
  }

  return (json, reading, depth) => {
    if (json === null) {
      if (nullBranch === undefined) throw refuseJson(reading, sentence)
      return isPlain ? null : { branch: nullBranch, value: null }
    }
    if (reading.isLenient) return readLeniently(json, reading, depth)
    const name = nameIn(json)
    if (name === undefined) throw refuseJson(reading, sentence)
    return readNamed(name, json, reading, depth)
  }
}

const sayBranch = 'fits more than one branch of its union: say it as {"<branch>": <value>}'
/** The maximum for records, each of which reads the whole value. */
const trialsMax = 8

/** The first group in which anything fits decides, and only if exactly one fits. */
function settle(reading: JsonReading, groups: readonly (readonly (() => unknown)[])[]): unknown {
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
    if (fitting.length > 1) {
      throw new Unreadable(sayBranch)
    }
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

/** What a branch's plain value looks like in JSON. `mayBe` checks only the names in an object. */
type Shape = {
  readonly branch: number
  readonly kind: JsonKind
  readonly mayBe: (json: unknown, keys: readonly string[]) => boolean
}

function shapeOf(type: AvroType, branch: number): Shape {
  const kind = type.kind === 'union' ? 'null' : jsonKinds[type.kind]
  if (type.kind !== 'record') return { branch, kind, mayBe: () => true }
  const { names, required } = namesOf(type)
  return {
    branch,
    kind,
    mayBe: (json, keys) =>
      isFields(json) &&
      keys.length >= required.length &&
      keys.every((key) => names.has(key)) &&
      required.every((key) => Object.hasOwn(json, key)),
  }
}

const namesOf = oncePerType(({ fields }: RecordType) => ({
  names: new Set(fields.map((field) => field.name)),
  required: fields.flatMap((field) => (field.default ? [] : [field.name])),
}))
