// Compiles an Avro type into a function that reads only the fields on the given paths. It checks all other fields as
// `read-avro.ts` does, but keeps their octets, and doesn't convert them to values and back. It accepts these fields
// only as Weir's own writer writes them. The full reader reads any other datum from the start, or reports the error.
import { passText, readBoolean, readInt, readLong, skip } from './cursor.ts'
import type { Cursor } from './cursor.ts'
import { compileAvroReader, compileRead } from './read-avro.ts'
import type { AvroReader, ReadAvro } from './read-avro.ts'
import { depthMax, nullableOf } from './types.ts'
import type { AvroType, RecordField, RecordType } from './types.ts'
import { RawRun } from './values.ts'
import type { Fields } from './values.ts'

/** Moves the cursor past one value. */
type Pass = (cursor: Cursor, depth: number) => void

const givenUp = new Error('not for skimming')

function giveUp(): never {
  throw givenUp
}

/** `paths` are field paths, as in `paths.ts`. Everything inside these fields is read, too. */
export function compileAvroSkimmer(type: RecordType, paths: readonly string[]): AvroReader {
  const readFully = compileAvroReader(type)
  const skim = tryCompile(type, paths)
  if (skim === undefined) return readFully
  return (bytes) => {
    const cursor = { bytes, at: 0, end: bytes.length }
    try {
      const event = skim(cursor, 0)
      if (cursor.at === cursor.end) return event
    } catch {
      // the full reader reports the error, if there is one
    }
    return readFully(bytes)
  }
}

/** The maximum number of fields in all records on the paths. A record counts each time that a path leads to it. */
const fieldsMax = 100_000

/** Returns undefined if there would be more than `fieldsMax` fields. */
function tryCompile(type: RecordType, paths: readonly string[]): ReadAvro | undefined {
  try {
    return compileSkim(type, { paths, left: { fields: fieldsMax } })
  } catch (error) {
    if (error === givenUp) return undefined
    throw error
  }
}

type Wanted = { readonly paths: readonly string[]; readonly left: { fields: number } }

/** Reads one field, or moves past a run of consecutive fields. */
type Step =
  | { readonly name: string; readonly read: ReadAvro }
  | { readonly name: string; readonly passes: readonly Pass[] }

function compileSkim(type: RecordType, wanted: Wanted): ReadAvro {
  wanted.left.fields -= type.fields.length
  if (wanted.left.fields < 0) giveUp()
  const steps = stepsOf(type, wanted)
  const blank: Fields = Object.fromEntries(type.fields.map(({ name }) => [name, null]))
  return (cursor, depth) => {
    if (depth >= depthMax) giveUp()
    const record = { ...blank }
    for (const step of steps) {
      record[step.name] =
        'read' in step ? step.read(cursor, depth + 1) : passAll(step.passes, cursor, depth + 1)
    }
    return record
  }
}

function passAll(passes: readonly Pass[], cursor: Cursor, depth: number): RawRun {
  const start = cursor.at
  for (const pass of passes) pass(cursor, depth)
  return new RawRun(cursor.bytes, { start, end: cursor.at, fields: passes.length })
}

/** Returns the wanted paths inside each field; '' stands for the whole field. */
function byField(paths: readonly string[]): ReadonlyMap<string, string[]> {
  const wanted = new Map<string, string[]>()
  for (const path of paths) {
    const slash = path.indexOf('/')
    const name = slash < 0 ? path : path.slice(0, slash)
    const inside = wanted.get(name) ?? []
    inside.push(slash < 0 ? '' : path.slice(slash + 1))
    wanted.set(name, inside)
  }
  return wanted
}

function stepsOf(type: RecordType, { paths, left }: Wanted): Step[] {
  const wanted = byField(paths)
  const passOf = createPassCompiler()
  const steps: Step[] = []
  let run: Pass[] | undefined
  for (const field of type.fields) {
    const inside = wanted.get(field.name)
    const read = inside && compileField(field, { paths: inside, left })
    if (read !== undefined) {
      steps.push({ name: field.name, read })
      run = undefined
    } else if (run === undefined) {
      run = [passOf(field.type)]
      steps.push({ name: field.name, passes: run })
    } else {
      run.push(passOf(field.type))
    }
  }
  return steps
}

function compileField({ type }: RecordField, wanted: Wanted): ReadAvro {
  if (wanted.paths.includes('')) return compileRead(type)
  if (type.kind === 'record') return compileSkim(type, wanted)
  const inner = nullableOf(type)
  if (type.kind !== 'union' || inner?.kind !== 'record') return compileRead(type)
  const nullBranch = type.branches.findIndex((branch) => branch.kind === 'null')
  const skim = compileSkim(inner, wanted)
  return (cursor, depth) => {
    const branch = readLong(cursor)
    if (branch === nullBranch) return null
    return branch === 1 - nullBranch ? skim(cursor, depth) : giveUp()
  }
}

// --- passing ---

/** Gives up on a number with superfluous octets, because Weir's writer would write it differently. */
function passLong(cursor: Cursor): number {
  const start = cursor.at
  const value = readLong(cursor)
  if (cursor.at - start > 1 && cursor.bytes[cursor.at - 1] === 0) giveUp()
  return value
}

function passLength(cursor: Cursor): number {
  const length = passLong(cursor)
  return length < 0 ? giveUp() : length
}

/** Gives up on NaN, which has many encodings. */
function passNumber(value: number): void {
  if (Number.isNaN(value)) giveUp()
}

const scalars: Readonly<Record<string, Pass>> = {
  null: () => {},
  boolean: readBoolean,
  int: (cursor) => {
    const start = cursor.at
    readInt(cursor)
    if (cursor.at - start > 1 && cursor.bytes[cursor.at - 1] === 0) giveUp()
  },
  long: passLong,
  float: (cursor) => passNumber(cursor.bytes.readFloatLE(skip(cursor, 4))),
  double: (cursor) => passNumber(cursor.bytes.readDoubleLE(skip(cursor, 8))),
  bytes: (cursor) => skip(cursor, passLength(cursor)),
  string: (cursor) => passText(cursor, passLength(cursor)),
}

function createPassCompiler(): (type: AvroType) => Pass {
  const records = new Map<RecordType, Pass>()

  function compile(type: AvroType): Pass {
    switch (type.kind) {
      case 'record':
        return compileRecord(type)
      case 'union':
        return passUnion(type.branches.map(compile))
      case 'array':
        return passArray(compile(type.items))
      case 'enum':
        return (cursor) => {
          const place = passLong(cursor)
          if (place < 0 || place >= type.symbols.length) giveUp()
        }
      case 'fixed':
        return (cursor) => skip(cursor, type.size)
      default:
        return scalars[type.kind] ?? giveUp // gives up on maps, because only reading a map finds a duplicate key
    }
  }

  /** Compiles a record at its first use, because records may be recursive or form a long chain. */
  function compileRecord(type: RecordType): Pass {
    const known = records.get(type)
    if (known) return known
    let inner: readonly Pass[] | undefined
    const pass: Pass = (cursor, depth) => {
      inner ??= type.fields.map((field) => compile(field.type))
      if (depth >= depthMax) giveUp()
      for (const passField of inner) passField(cursor, depth + 1)
    }
    records.set(type, pass)
    return pass
  }

  return compile
}

const passUnion =
  (passes: readonly Pass[]): Pass =>
  (cursor, depth) => {
    const pass = passes[passLong(cursor)] ?? giveUp
    pass(cursor, depth)
  }

/** Accepts only one block per array, as Weir's writer writes it. */
const passArray =
  (pass: Pass): Pass =>
  (cursor, depth) => {
    if (depth >= depthMax) giveUp()
    const count = passLength(cursor)
    if (count === 0) return
    if (count > cursor.end - cursor.at) giveUp()
    for (let items = count; items > 0; items -= 1) pass(cursor, depth + 1)
    if (passLong(cursor) !== 0) giveUp()
  }
