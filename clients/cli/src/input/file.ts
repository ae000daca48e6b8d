// Reads the input of `-f`: the unchanged bytes of a file, or of standard input.
import { createReadStream } from 'node:fs'
import { misuse } from '../errors.ts'
import { fileFault } from '../file-fault.ts'
import type { Session } from '../session.ts'

export async function* openInput(
  session: Session,
  file: string | undefined,
): AsyncGenerator<unknown> {
  if (file === undefined || file === '-') {
    const { terminal } = session
    if (terminal.isInteractive) session.tell('Reading your input; Ctrl-D on a new line ends it.')
    yield* terminal.input
    return
  }
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw misuse(fileFault(file, error, 'read'))
  }
}
