// Computes something once per type, and caches it as long as the type exists. A schema may use a type many times.
// Without the cache, processing the symbols of an enum would take quadratic time.
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
