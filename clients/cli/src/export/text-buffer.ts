// Collects lines into larger writes.
import type { EventSink } from './event-writer.ts'

const pieceMax = 65_536

export type TextBuffer = { write(text: string): Promise<void>; flush(): Promise<void> }

export function createTextBuffer(sink: EventSink): TextBuffer {
  let held: string[] = []
  let length = 0
  async function flush(): Promise<void> {
    const piece = Buffer.from(held.join(''))
    held = []
    length = 0
    if (piece.length > 0) await sink.write(piece)
  }
  return {
    async write(text) {
      held.push(text)
      length += text.length
      if (length >= pieceMax) await flush()
    },
    flush,
  }
}
