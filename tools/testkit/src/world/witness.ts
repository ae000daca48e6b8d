// Remembers values that must leave no trace, and finds their traces in a text: plain, in hexadecimal, in base64 at any
// offset, or as the decimal bytes of a Buffer in JSON. Parts of a value count, too, so that a shortened value is found.
import { randomBytes } from 'node:crypto'

export type Witness = {
  /** Returns a unique value, with characters that JSON and URLs have to escape. */
  newValue(label: string): string
  /** Remembers an existing value, and returns it. */
  knows(label: string, value: string): string
  /** Returns the labels of the values whose traces are in the text. */
  tracesIn(text: string): string[]
}

const PIECE_CHARS = 16

export function createWitness(): Witness {
  const labels = new Map<string, string>()

  const knows: Witness['knows'] = (label, value) => {
    for (const piece of piecesOf(value)) for (const form of formsOf(piece)) labels.set(form, label)
    return value
  }

  return {
    newValue(label) {
      const core = randomBytes(PIECE_CHARS).toString('hex')
      knows(label, core)
      return `"é\\ ${core}&=`
    },
    knows,
    tracesIn(text) {
      const found = new Set<string>()
      for (const [form, label] of labels) if (text.includes(form)) found.add(label)
      return [...found]
    },
  }
}

/**
 * Returns the beginning and the end of a value. For a JWT, returns those of claims and signature, because the header is
 * no secret.
 */
function piecesOf(value: string): string[] {
  const secret = value.startsWith('eyJ') ? value.split('.').slice(1) : [value]
  return secret.flatMap((part) => {
    if (part.length < PIECE_CHARS) throw new Error('a value this short could be found by chance')
    return [part.slice(0, PIECE_CHARS), part.slice(-PIECE_CHARS)]
  })
}

function formsOf(piece: string): string[] {
  const bytes = Buffer.from(piece)
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before))
  const base64Url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [piece, hex, hex.toUpperCase(), ...base64, ...base64Url, [...bytes].join(',')]
}

/** Returns the base64 characters that depend only on these bytes, if `before` other bytes precede them. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
