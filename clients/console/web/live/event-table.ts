// One event as rows, one per field: its value as sent, as stored, and in each derived stream. A field counts as
// decrypted in a stream if its value differs from the stored one.
import { isObject, valueAt } from '../api/json.ts'
import type { Json } from '../api/json.ts'
import type { Contract, Output } from '../api/account.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import type { LiveEvent } from './live-store.ts'
import { lackedBy, whyFiltered } from './levels.ts'

export type Cell = {
  /** Undefined if there is no value. */
  readonly text: string | undefined
  readonly mark: 'plain' | 'encrypted' | 'decrypted'
}

export type Row = {
  readonly path: string
  /** The level; undefined if the field is not personal. */
  readonly level: number | undefined
  readonly cells: readonly Cell[]
}

export type Column = {
  readonly title: string
  readonly under: string
  /** Why the whole column is empty. */
  readonly note: string | undefined
  /** Whether the stream will never get the event. */
  readonly isFiltered: boolean
  readonly event: Json | undefined
  readonly kind: 'sent' | 'sealed' | 'derived'
}

type Of = {
  readonly input: string
  readonly outputs: readonly Output[]
  readonly words: LevelWords
}

export function columnsOf(event: LiveEvent, { input, outputs, words }: Of): Column[] {
  const sent: Column = {
    title: 'as sent',
    under: 'by its producer',
    note:
      event.sent === undefined
        ? 'Weir keeps no copy; shown only for test events sent here'
        : undefined,
    isFiltered: false,
    event: event.sent,
    kind: 'sent',
  }
  const sealed: Column = {
    title: input,
    under: 'as stored',
    note: undefined,
    isFiltered: false,
    event: event.sealed,
    kind: 'sealed',
  }
  return [sent, sealed, ...outputs.map((output) => derivedColumn(event, output, words))]
}

function derivedColumn(event: LiveEvent, output: Output, words: LevelWords): Column {
  const opened = event.opened.get(output.name)
  return {
    title: output.name,
    under: shortLevels(output, words),
    note: opened === undefined ? whyNot(event, output, words) : undefined,
    isFiltered: opened === undefined && lackedBy(output, event.consent).length > 0,
    event: opened,
    kind: 'derived',
  }
}

const shortLevels = ({ levels, type }: Output, words: LevelWords): string =>
  `decrypts level ${type === 'CUMULATIVE' ? '≤ ' : ''}${levels.map(words).join(', ')}`

/** Whether no further derived stream will show the event. */
export const isSettled = (event: LiveEvent, outputs: readonly Output[]): boolean =>
  outputs.every(
    (output) => event.opened.has(output.name) || lackedBy(output, event.consent).length > 0,
  )

export function whyNot(event: LiveEvent, output: Output, words: LevelWords): string {
  const lacked = lackedBy(output, event.consent)
  if (lacked.length > 0) return whyFiltered(lacked, words)
  return output.enabled ? 'not received yet' : 'the stream is disabled'
}

export function rowsOf(
  event: LiveEvent,
  columns: readonly Column[],
  contract: Contract | undefined,
): Row[] {
  return pathsOf(event.sealed).map((path) => {
    const level = contract?.levels.get(path)
    const sealed = JSON.stringify(valueAt(event.sealed, path))
    const cells = columns.map((column): Cell => {
      if (column.event === undefined) return { text: undefined, mark: 'plain' }
      const value = valueAt(column.event, path)
      const text = shown(value)
      if (level === undefined || column.kind === 'sent' || value === null)
        return { text, mark: 'plain' }
      return { text, mark: JSON.stringify(value) === sealed ? 'encrypted' : 'decrypted' }
    })
    return { path, level, cells }
  })
}

/** Returns texts without quotes, unless they are empty, and other values as JSON. */
const shown = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : JSON.stringify(value)

/** Returns the paths of the leaves in the event's order. The envelope comes last, because the service writes it. */
function pathsOf(event: Json): string[] {
  const { svcMeta, ...own } = event
  return [...leavesOf(own, ''), ...leavesOf({ svcMeta }, '')]
}

const leavesOf = (object: Json, under: string): string[] =>
  Object.entries(object).flatMap(([name, value]) => {
    const path = under === '' ? name : `${under}/${name}`
    return isObject(value) ? leavesOf(value, path) : [path]
  })
