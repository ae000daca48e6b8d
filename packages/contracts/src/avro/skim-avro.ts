// Avro type and the paths that somebody will look at -> the function that reads those fields alone, and
// carries the octets of all others over as they came: checked as `read-avro.ts` checks them, but not made into
// values and back. It takes only what a writer would have written the same way; for everything else it gives
// up, and the full reader says what is wrong with it, or that nothing is.
import { passText, readBoolean, readInt, readLong, skip, type Cursor } from './cursor.ts'
import { compileAvroReader, compileRead, type AvroReader, type Read } from './read-avro.ts'
import { depthMax, nullableOf, type AvroType, type RecordField, type RecordType } from './types.ts'
import { RawRun, type Fields } from './values.ts'

/** Moves past one value. */
type Pass = (cursor: Cursor, depth: number) => void

const givenUp = new Error('not for skimming')

function giveUp(): never {
  throw givenUp
}

/** `paths` name fields, with / between nested records; all that lies in such a field is read, too. */
export function compileAvroSkimmer(type: RecordType, paths: readonly string[]): AvroReader {
  const readFully = compileAvroReader(type)
  const skim = compileSkim(type, paths)
  return (bytes) => {
    const cursor = { bytes, at: 0, end: bytes.length }
    try {
      const event = skim(cursor, 0)
      if (cursor.at === cursor.end) return event
    } catch {
      // whatever it was, the full reader finds it
    }
    return readFully(bytes)
  }
}

/** One after the other: a field to be read, or a run of those that are passed. */
type Step =
  | { readonly name: string; readonly read: Read }
  | { readonly name: string; readonly passes: readonly Pass[] }

function compileSkim(type: RecordType, paths: readonly string[]): Read {
  const steps = stepsOf(type, paths)
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

function stepsOf(type: RecordType, paths: readonly string[]): Step[] {
  const passOf = createPassCompiler()
  const steps: Step[] = []
  let run: Pass[] | undefined
  for (const field of type.fields) {
    const read = compileField(field, paths)
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

/** Undefined for a field that nobody looks at. */
function compileField({ name, type }: RecordField, paths: readonly string[]): Read | undefined {
  if (paths.includes(name)) return compileRead(type)
  const inside = paths.flatMap((path) =>
    path.startsWith(`${name}/`) ? [path.slice(name.length + 1)] : [],
  )
  if (inside.length === 0) return undefined
  if (type.kind === 'record') return compileSkim(type, inside)
  const inner = nullableOf(type)
  if (type.kind !== 'union' || inner?.kind !== 'record') return compileRead(type)
  const nullBranch = type.branches.findIndex((branch) => branch.kind === 'null')
  const skim = compileSkim(inner, inside)
  return (cursor, depth) => {
    const branch = readLong(cursor)
    if (branch === nullBranch) return null
    return branch === 1 - nullBranch ? skim(cursor, depth) : giveUp()
  }
}

// --- passing ---

/** A number may be written with octets to spare; then it isn't carried over. */
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

/** There are many ways to write NaN. */
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
        return scalars[type.kind] ?? giveUp // whether a map has a key twice, shows when it is read
    }
  }

  /** Each record is compiled once and at its first use: a schema may name itself, or be a long chain. */
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

/** One block, as a writer makes it. */
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
