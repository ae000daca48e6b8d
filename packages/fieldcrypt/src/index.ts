// The package's public names. docs/keys.md explains their meaning.
export { ERA_MS, eraAt, eraEndMs, eraStartMs, keyTimeOf, ROTATION_HOURS } from './era.ts'
export { erasOfTerm, lastEraOf, termEndMs, termOf, termStartMs } from './era.ts'
export type { KeyTime } from './era.ts'
export { FieldcryptError } from './errors.ts'
export type { FieldcryptErrorCode } from './errors.ts'
export type { RandomBytes } from './random.ts'

// Keys of terms and eras
export { eraKeys, withTerm } from './era-keys.ts'
export type { EraKeys } from './era-keys.ts'
export { makeEraParts, makePart } from './new-parts.ts'
export { termKeys, withTree } from './term-keys.ts'
export type { LinkKeys, TermKeys } from './term-keys.ts'
export { createLru } from './cache/lru.ts'
export type { Cacheable } from './cache/lru.ts'
export { createTree, openTreePart, replaceTreeParts } from './tree/tree.ts'
export type { StoredNode, Tree, TreePart } from './tree/tree.ts'
export type { OpenPart } from './tree/tree-bytes.ts'
export { keyLinkInt, keyLinkUuid, openKeyLink } from './derivation.ts'

// Fields
export { createSealer } from './sealer.ts'
export type { Sealer } from './sealer.ts'
export { createOpener } from './opener.ts'
export type { Opened, Opener } from './opener.ts'
export type { CacheOptions } from './cache/people-cache.ts'
export { consentOf } from './consent.ts'
export type { Consent } from './consent.ts'
export type { FieldAt, NoKey, Person } from './person.ts'

// Erasure
export { growthMaxBytes, linksOf, prefixesOf, puncture, startCutting } from './tree/forget.ts'
export type { Puncture } from './tree/forget.ts'
export { addWithdrawn, isWithdrawnPart, withdrawalBytes, withdrawnPartOf } from './withdrawn.ts'

// Records of the key topic
export {
  levelOfPart,
  levelPart,
  keyNameOfPart,
  SIGN_KEY_NAME,
  suffixOfPart,
  treePart,
} from './tree/parts.ts'
export { keyVersionOf, unwrapPart, wrapPart } from './tree/parts.ts'
export { kekOf, unwrapByKek, wrapByKek } from './wrapping-keys.ts'
export type { KekProvider } from './wrapping-keys.ts'
export { kekIdsIn, kekNamesIn, parseKekFile } from './kek-file.ts'
export type { KekFileOptions } from './kek-file.ts'
