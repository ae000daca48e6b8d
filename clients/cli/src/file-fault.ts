// Explains in words why a file can't be read or written.
import { textAt } from './json.ts'

export function fileFault(file: string, error: unknown, verb: 'read' | 'written'): string {
  const code = textAt(error, 'code')
  const isRead = verb === 'read'
  if (code === 'EISDIR') return `${file} is a folder`
  if (code === 'ENOENT' && isRead) return `${file} does not exist`
  if (code === 'ENOENT') return `${file} can't be written: its folder does not exist`
  if (code === 'EACCES' || code === 'EPERM')
    return `${file} can't be ${verb}: you are not permitted`
  return `${file} can't be ${verb}: ${code ?? String(error)}`
}
