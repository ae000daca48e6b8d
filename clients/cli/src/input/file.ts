// What `-f` names: a file, or the standard input. Bytes as they come; what they mean is for the reader.
import { createReadStream } from 'node:fs'
import { misuse } from '../errors.ts'
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
  } catch {
    throw misuse(`${file} can't be read`)
  }
}
