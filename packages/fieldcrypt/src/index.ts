// The package's public names. See docs/keys.md for what they mean.
export { ERA_MS, ROTATION_HOURS, timeOf, type KeyTime } from './time.ts'
export type { FieldcryptErrorCode } from './errors.ts'
export type { RandomBytes } from './random.ts'

// Keys of an era
export { eraKeys, makeEraParts, makePart, withTree } from './era-keys.ts'
export type { EraKeys, EraParts, LinkKeys } from './era-keys.ts'
export { createTree, replaceTreeParts } from './tree.ts'
export type { StoredNode, Tree, TreePartSource } from './tree.ts'
export { keyLinkInt, keyLinkUuid } from './derivation.ts'

// Fields
export { createSealer, type Sealer } from './sealer.ts'
export { createOpener, type Opened, type Opener } from './opener.ts'
export type { CacheOptions } from './people-cache.ts'
export type { NoKey, Person } from './person.ts'

// Forgetting
export { linksOf, prefixesOf, puncture, type Puncture } from './forget.ts'

// Records of the key topic
export { levelOfPart, levelPart, ringOfPart, SIGN_RING, suffixOfPart, treePart } from './parts.ts'
export { ringVersionOf, unwrapPart, wrapPart } from './parts.ts'
export { kekOf, unwrapRing, wrapRing, type KekProvider } from './rings.ts'
export { kekNamesIn, parseKekFile, type KekFileOptions } from './kek-file.ts'
