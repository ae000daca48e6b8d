// Extracts the texts of a source file that people may read: strings, templates and the text of pages, but no import
// paths or comments.
import { parse } from '@swc/core'

/** Returns one text per occurrence. «…» stands for a template's inserted values. */
export async function textsOfSource(code: string): Promise<string[]> {
  const module: unknown = await parse(code, {
    syntax: 'typescript',
    tsx: true,
    target: 'es2022',
  }).catch(() => parse(code, { syntax: 'typescript', target: 'es2022' })) // a cast with angle brackets
  return textsIn(module).filter((text) => text.trim() !== '')
}

function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn)
  if (typeof node !== 'object' || node === null) return []
  const members: Readonly<Record<string, unknown>> = { ...node }
  const { type, value, quasis, expressions } = members
  if (type === 'StringLiteral' || type === 'JSXText') return [oneLine(String(value))]
  if (type === 'TemplateLiteral' && Array.isArray(quasis))
    return [oneLine(quasis.map(cookedOf).join('…')), ...textsIn(expressions)]
  const isImport = type === 'ImportDeclaration' || type === 'ExportAllDeclaration'
  return isImport ? [] : Object.values(members).flatMap(textsIn)
}

const cookedOf = (quasi: unknown): string =>
  typeof quasi === 'object' && quasi !== null && 'cooked' in quasi ? String(quasi.cooked) : ''

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
