// Notes about a configuration field, in addition to its type: its unit for the documents, whether its value is secret,
// and what its file must contain. They are stored outside the zod schemas.

import { z } from 'zod'

export type FieldNotes = {
  /** The value's unit or format, in a word or two. */
  readonly unit?: string
  /** Set if the value is never shown, not even to the operator who starts the service. */
  readonly isSecret?: boolean
  readonly file?: FileRule
}

/**
 * `problemOf` returns the problem of the contents, or undefined. `mayBeMissing` is set if the service creates the file.
 */
export type FileRule = {
  readonly mayBeMissing?: boolean
  readonly problemOf?: (contents: Buffer) => string | undefined
}

// Doesn't use zod's own registry, because its types expand the types of the notes, down to Buffer.
const notes = new WeakMap<object, FieldNotes>()

/** Adds notes to the field, and returns it. Fields that zod's methods derive from this field have the same notes. */
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

// A field returned by `.describe()` or `.refine()` refers to its original.
function parentOf(made: object): object | undefined {
  return made instanceof z.ZodType ? made._zod.parent : undefined
}

/** Yields a schema and the schemas that it wraps (default, optional, transform), outermost first. */
export function* layersOf(schema: z.ZodType): Generator<z.ZodType> {
  let layer: unknown = schema
  while (layer instanceof z.ZodType) {
    yield layer
    const def: object = layer.def
    layer = 'innerType' in def ? def.innerType : 'in' in def ? def.in : undefined
  }
}
