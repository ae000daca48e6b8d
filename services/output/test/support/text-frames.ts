// Parses WebSocket frames as a client would. All must be text messages of less than 64 KiB.

/** Returns the texts. Throws unless there are exactly `messages` of them. */
export function textsIn(frames: Buffer, messages: number): string[] {
  const texts: string[] = []
  for (let at = 0; at < frames.length;) {
    if (frames[at] !== 0x81) throw new Error('not a text frame')
    const short = frames.readUInt8(at + 1)
    const [length, from] = short === 126 ? [frames.readUInt16BE(at + 2), at + 4] : [short, at + 2]
    texts.push(frames.toString('utf8', from, from + length))
    at = from + length
  }
  if (texts.length !== messages) throw new Error(`${texts.length} frames, not ${messages}`)
  return texts
}
