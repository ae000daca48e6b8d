// What is known of a configuration field beside its type: its unit for the documents, whether its value is
// secret, and what must be in the file that it names. Kept beside the zod schemas, not in them.

import { z } from 'zod'

export type FieldNotes = {
  /** What a value is measured in, or looks like, in a word or two. */
  readonly unit?: string
  /** Never shown, not even to who starts the service. */
  readonly isSecret?: boolean
  readonly file?: FileRule
}

/** What is wrong with the contents, or undefined; `mayBeMissing` where the service makes the file. */
export type FileRule = {
  readonly mayBeMissing?: boolean
  readonly problemOf?: (contents: Buffer) => string | undefined
}

// Not zod's own registry: it takes apart the types of what is registered, down to Buffer.
const notes = new WeakMap<object, FieldNotes>()

/** The same field, noted. What is made of it by zod's methods has the same notes. */
export function noted<T extends z.ZodType>(field: T, about: FieldNotes): T {
  notes.set(field, about)
  return field
}

export function notesOf(field: z.ZodType): FieldNotes {
  for (const layer of layersOf(field)) {
    let made: object | undefined = layer
    while (made !== undefined) {
      const found = notes.get(made)
      if (found !== undefined) return found
      made = parentOf(made)
    }
  }
  return {}
}

// A field that `.describe()` or `.refine()` made remembers which one it was made of.
function parentOf(made: object): object | undefined {
  return made instanceof z.ZodType ? made._zod.parent : undefined
}

/** A schema and what it wraps (default, optional, transform), outermost first. */
export function* layersOf(schema: z.ZodType): Generator<z.ZodType> {
  let layer: unknown = schema
  while (layer instanceof z.ZodType) {
    yield layer
    const def: object = layer.def
    layer = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined
  }
}
