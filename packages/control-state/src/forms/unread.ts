// Tracks unreadable records of followed topics, until readable records replace them. While there are any, the tables of
// these topics may be wrong.
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'

export type Unread = {
  /**
   * Runs `read`. Remembers the record if it is unknown or malformed.
   * @throws any other error of `read`
   */
  note(topic: string, key: string, read: () => void): void
  /** One sentence per record. Of many records, only the first few are listed. */
  sentences(): string[]
  isEmpty(): boolean
  clear(): void
}

const toldMax = 3

export function createUnread(log: Log): Unread {
  const sentences = new Map<string, string>()
  return {
    note(topic, key, read) {
      const place = `${topic} ${key}`
      try {
        read()
        if (sentences.size > 0) sentences.delete(place)
      } catch (error) {
        if (!hasCode(error, 'control-state.record_not_known', 'control-state.record_malformed'))
          throw error
        if (sentences.size < toldMax) log.error({ err: error }, 'a record cannot be read')
        sentences.set(place, error.message)
      }
    },
    sentences() {
      const told = [...sentences.values()].slice(0, toldMax)
      const more = sentences.size - told.length
      return more === 0 ? told : [...told, `and ${more} more records that can't be read`]
    },
    isEmpty: () => sentences.size === 0,
    clear: () => sentences.clear(),
  }
}
