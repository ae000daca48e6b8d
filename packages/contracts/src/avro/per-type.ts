// What is made of a type once and kept as long as it is. A schema names a type as often as it likes: made anew for each
// name, an enum's symbols would cost the square of the schema's length.
import type { AvroType } from './types.ts'

export function oncePerType<Type extends AvroType, Made>(
  make: (type: Type) => Made,
): (type: Type) => Made {
  const kept = new WeakMap<Type, { readonly made: Made }>()
  return (type) => {
    const known = kept.get(type)
    if (known !== undefined) return known.made
    const made = make(type)
    kept.set(type, { made })
    return made
  }
}
