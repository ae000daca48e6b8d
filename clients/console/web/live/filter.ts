// Filters the live view: events that contain all the words, and that a derived stream got or did not get.
import type { LiveEvent } from './live-store.ts'

export type Filter = {
  readonly words: string
  /** The derived stream; undefined if the filter has none. */
  readonly stream: string | undefined
  readonly wants: 'passed' | 'filtered'
}

export const noFilter: Filter = { words: '', stream: undefined, wants: 'passed' }

export function matcherOf({ words, stream, wants }: Filter): (event: LiveEvent) => boolean {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return (event) => {
    if (stream !== undefined && event.opened.has(stream) !== (wants === 'passed')) return false
    return wanted.every((word) => event.text.includes(word))
  }
}
