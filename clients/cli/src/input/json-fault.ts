// Finds where a text stops being JSON, and why, in the parser's words. Shows at most one character of the text, because
// the text may be an event.
import { visible } from '../terminal/table.ts'

/** Returns undefined if the text is JSON. `firstLine` is the number of the text's first line. */
export function jsonFault(text: string, firstLine = 1): string | undefined {
  const message = refusalOf(text)
  if (message === undefined) return undefined
  const lines = text.slice(0, placeOf(text, message)).split('\n')
  const column = (lines.at(-1) ?? '').length + 1
  const reason = message.replace(/(?: in JSON)? at position \d.*|, (?:\.\.\.)?".*$/s, '')
  return `line ${firstLine + lines.length - 1}, column ${column}: ${visible(reason)}`
}

function refusalOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * The parser does not say where an unexpected token is. The shortest beginning of the text that causes the same error
 * ends there.
 */
function placeOf(text: string, message: string): number {
  const [, position] = /at position (\d+)/.exec(message) ?? []
  if (position !== undefined) return Number(position)
  if (!isToken(message)) return text.length
  let [without, withIt] = [0, text.length]
  while (withIt - without > 1) {
    const middle = Math.floor((without + withIt) / 2)
    if (isToken(refusalOf(text.slice(0, middle)))) withIt = middle
    else without = middle
  }
  return without
}

const isToken = (message = ''): boolean => message.startsWith('Unexpected token')
