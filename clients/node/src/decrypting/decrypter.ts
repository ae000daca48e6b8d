// Decrypts the events of an output with `decryptAt: reader`. Each key belongs to one person, and is used only for
// minutes. So fields of an erased person can't be decrypted any more in any copy of the topic.
import { setImmediate } from 'node:timers/promises'
import { address, checkOptions, required } from '../options.ts'
import { credentialsRules } from '../credentials.ts'
import type { CredentialsOptions } from '../credentials.ts'
import { decryptText, mapEncrypted } from './encrypted.ts'
import type { Decrypted, KeysOrReason } from './encrypted.ts'
import { createKeyCache } from './key-cache.ts'
import { ReadError } from '../errors.ts'
import { createKeyService, personsMax } from './key-service.ts'
import type { Asked } from './key-service.ts'
import { readEvent } from './read-event.ts'
import type { EncryptedEvent, ReadEvent } from './read-event.ts'

const eventsAtOnce = 1_000

export type Decrypter = {
  /**
   * Returns copies of the events with decrypted values, in the same order. Values that can't be decrypted are
   * `Encrypted`. Pass many events in one call: a thousand events need at most one request for keys, unless their
   * contracts have very many levels. The events' type comes from your decoder, or from `decrypt<YourEvent>`.
   */
  decrypt<Event>(events: readonly EncryptedEvent<Event>[]): Promise<Decrypted<Event>[]>
}

/** Creates a decrypter with the credentials of an output. @throws TypeError for invalid options */
export function createDecrypter(
  options: CredentialsOptions & { readonly outputUrl: string },
): Decrypter {
  checkOptions('createDecrypter', options, {
    ...credentialsRules,
    outputUrl: required(address('output', 8083)),
  })
  const keys = createKeys(options)
  return {
    async decrypt<Event>(events: readonly EncryptedEvent<Event>[]) {
      if (!Array.isArray(events)) throw new TypeError('decrypt needs a list of { headers, event }')
      const all: Decrypted<Event>[] = []
      for (let from = 0; from < events.length; from += eventsAtOnce) {
        if (from > 0) await setImmediate() // a long list must not block the process
        let left = events.slice(from, from + eventsAtOnce).map(readEvent)
        while (left.length > 0) {
          await keys.fetch(new Map(left.filter(({ isEncrypted }) => isEncrypted).map(asked)))
          const done = decryptedWhile<Event>(keys, left)
          all.push(...done)
          left = left.slice(done.length)
        }
      }
      return all
    },
  }
}

const asked = ({ name, asked: person }: ReadEvent) => [name, person] as const

/** Decrypts events until a key becomes too old, which may happen at any moment. */
function decryptedWhile<Event>(
  keys: Pick<Keys, 'get'>,
  events: readonly ReadEvent[],
): Decrypted<Event>[] {
  const done: Decrypted<Event>[] = []
  for (const one of events) {
    const own = one.isEncrypted ? keys.get(one.name) : []
    if (own === undefined) break
    done.push(asDecrypted(one.isEncrypted ? decrypted(one, own) : one.event))
  }
  return done
}

/** Decrypting changes no structure, and only texts. */
const asDecrypted = <Event>(event: unknown): Decrypted<Event> => event as Decrypted<Event>

const decrypted = ({ event, keyLink }: ReadEvent, keys: KeysOrReason): unknown =>
  mapEncrypted(event, keyLink, (text, path) => decryptText(text, path, keys))

type Keys = ReturnType<typeof createKeys>

/** Gets keys from output, and caches them by `ReadEvent.name`. */
function createKeys(options: CredentialsOptions & { readonly outputUrl: string }) {
  const ask = createKeyService(options)
  const nowMs = (): number => performance.now()
  const cache = createKeyCache(nowMs)
  let personsAtOnce = personsMax
  return {
    async fetch(persons: ReadonlyMap<string, Asked>): Promise<void> {
      for (;;) {
        const missing = [...persons].filter(([name]) => cache.get(name) === undefined)
        if (missing.length === 0) return
        const part = missing.slice(0, personsAtOnce)
        const answer = await ask(part.map(([, person]) => person))
        if (answer === 'too_many') personsAtOnce = Math.ceil(part.length / 4)
        else if (nowMs() >= answer.goodUntilMs)
          throw new ReadError('unreachable', 'The keys were too old when they arrived')
        else
          for (const [nth, [name]] of part.entries())
            cache.put(name, answer.keys[nth] ?? 'unknown', answer.goodUntilMs)
      }
    },
    /** Returns undefined if the keys are missing or too old. */
    get: cache.get,
  }
}
