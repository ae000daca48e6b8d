// Decrypts the events of an output with `decryptAt: reader`. The keys are those of single people, and only for minutes:
// so a person who is erased can't be read any more, wherever copies of the topic are.
import { address, checkOptions, required } from '../options.ts'
import { credentialsRules } from '../credentials.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { decryptText, mapEncrypted } from './encrypted.ts'
import type { KeysOrReason } from './encrypted.ts'
import { createKeyCache } from './key-cache.ts'
import { createKeyService, personsMax } from './key-service.ts'
import type { Asked } from './key-service.ts'
import { readEvent } from './read-event.ts'
import type { EncryptedEvent } from './read-event.ts'

export type Decrypter = {
  /**
   * Copies of the events, in their order, with decrypted values. Values that can't be decrypted are `Encrypted`. Pass
   * many events in one call: their keys take one request for each thousand people.
   * @throws ReadError `refused`, `unreachable` (after a minute), or `unreadable` for an event without its headers
   */
  decrypt(events: readonly EncryptedEvent[]): Promise<unknown[]>
}

/** Needs the credentials of the output. @throws TypeError for invalid options */
export function createDecrypter(
  options: CredentialsOptions & { readonly outputUrl: string },
): Decrypter {
  checkOptions('createDecrypter', options, {
    ...credentialsRules,
    outputUrl: required(address('output', 8083)),
  })
  const keysOfAll = createKeys(options)
  return {
    async decrypt(events) {
      const read = events.map(readEvent)
      const persons = new Map(
        read.flatMap((one) => (one.isEncrypted ? [[one.name, one.asked] as const] : [])),
      )
      const keys = await keysOfAll(persons)
      return read.map(({ name, keyLink, isEncrypted }, nth) => {
        const event = events[nth]?.event
        if (!isEncrypted) return event
        const ofPerson = keys.get(name) ?? 'unknown'
        return mapEncrypted(event, keyLink, (text, path) => decryptText(text, path, ofPerson))
      })
    },
  }
}

/** The keys by name, from the cache or from output. */
function createKeys(options: CredentialsOptions & { readonly outputUrl: string }) {
  const ask = createKeyService(options)
  const cache = createKeyCache(() => performance.now())
  return async (persons: ReadonlyMap<string, Asked>): Promise<Map<string, KeysOrReason>> => {
    const found = new Map<string, KeysOrReason>()
    const missing: (readonly [string, Asked])[] = []
    for (const [name, asked] of persons) {
      const keys = cache.get(name)
      if (keys === undefined) missing.push([name, asked])
      else found.set(name, keys)
    }
    for (let from = 0; from < missing.length; from += personsMax) {
      const slice = missing.slice(from, from + personsMax)
      const { keys, goodUntilMs } = await ask(slice.map(([, asked]) => asked))
      for (const [nth, [name]] of slice.entries()) {
        const one = keys[nth] ?? 'unknown'
        found.set(name, one)
        cache.put(name, one, goodUntilMs)
      }
    }
    return found
  }
}
