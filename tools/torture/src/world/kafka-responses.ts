// Tampers with a broker's responses to one kind of request. The broker has executed the request, but the response is
// lost or reports an error, as when a leader changes meanwhile. Supports only the protocol's flexible versions
// (KIP-482), because Weir uses no others for these requests.

/** By kind of request: the API key, the first version to change (`from`), and errors possible after the execution. */
const kinds = {
  produce: { api: 0, from: 9, errors: { NOT_LEADER: 6, TIMED_OUT: 7, AFTER_APPEND: 20 } },
  fetch: { api: 1, from: 12, errors: { NO_SESSION: 70, SESSION_EPOCH: 71 } },
  'init-producer-id': { api: 22, from: 2, errors: { NOT_AVAILABLE: 15, NOT_COORDINATOR: 16 } },
  'add-partitions': { api: 24, from: 3, errors: { NOT_COORDINATOR: 16, CONCURRENT: 51 } },
  'end-txn': { api: 26, from: 3, errors: { NOT_AVAILABLE: 15, NOT_COORDINATOR: 16 } },
} as const
export type RequestKind = keyof typeof kinds
export const requestKinds: readonly RequestKind[] = [
  'produce',
  'fetch',
  'init-producer-id',
  'add-partitions',
  'end-txn',
]
export const errorsOf = (kind: RequestKind): number[] => Object.values(kinds[kind].errors)

/** Affects every second response. It reports `errorCode`; without a code, it is lost and its connection ends. */
export type Tampering = { readonly of: RequestKind; readonly errorCode?: number }

/** Follows the requests of one connection, to know which response is of which kind. */
export type Responses = {
  asked(chunk: Buffer): void
  /** Returns the responses that this chunk completes; `lost` if one of them must get lost. */
  answered(chunk: Buffer, tampering: Tampering | undefined): Buffer[] | 'lost'
}

type Asked = { readonly api: number; readonly version: number }

/** `onTampered` is called for each response that is lost or changed. */
export function followResponses(onTampered: (kind: RequestKind) => void): Responses {
  const open = new Map<number, Asked>()
  const requests = createFrames()
  const responses = createFrames()
  let matching = 0

  const isMeant = (asked: Asked | undefined, { of }: Tampering): boolean => {
    const { api, from } = kinds[of]
    if (asked?.api !== api || asked.version < from) return false
    matching += 1
    return matching % 2 === 1
  }
  return {
    asked(chunk) {
      for (const frame of requests.take(chunk))
        open.set(frame.readInt32BE(8), {
          api: frame.readInt16BE(4),
          version: frame.readInt16BE(6),
        })
    },
    answered(chunk, tampering) {
      const whole: Buffer[] = []
      for (const frame of responses.take(chunk)) {
        const correlation = frame.readInt32BE(4)
        const asked = open.get(correlation)
        open.delete(correlation)
        if (tampering === undefined || !isMeant(asked, tampering)) {
          whole.push(frame)
          continue
        }
        onTampered(tampering.of)
        if (tampering.errorCode === undefined) return 'lost'
        whole.push(withError(frame, tampering.of, tampering.errorCode, asked?.version ?? 0))
      }
      return whole
    },
  }
}

/** Splits a stream of bytes into frames: a length in four octets, and as many octets. */
function createFrames() {
  let chunks: Buffer[] = []
  let length = 0
  let wanted = 4
  return {
    take(chunk: Buffer): Buffer[] {
      chunks.push(chunk)
      length += chunk.length
      if (length < wanted) return []
      let rest = Buffer.concat(chunks)
      const frames: Buffer[] = []
      for (wanted = 4; rest.length >= wanted; wanted = 4) {
        wanted += rest.readInt32BE(0)
        if (rest.length < wanted) break
        frames.push(rest.subarray(0, wanted))
        rest = rest.subarray(wanted)
      }
      chunks = [rest]
      length = rest.length
      return frames
    },
  }
}

/** The offset of the body, after length, correlation id and the header's tags. */
const BODY = 9
const THROTTLE_BYTES = 4

function withError(frame: Buffer, kind: RequestKind, code: number, version: number): Buffer {
  if (kind === 'fetch') return emptyFetch(frame, code)
  const changed = Buffer.from(frame)
  const cursor = createCursor(changed, BODY)
  if (kind !== 'produce') cursor.skip(THROTTLE_BYTES)
  if (kind === 'produce' || kind === 'add-partitions')
    failPartitions(cursor, { code, isProduce: kind === 'produce', hasIds: version >= 13 })
  else cursor.putInt16(code)
  // producer id and epoch become -1
  if (kind === 'init-producer-id') changed.fill(0xff, cursor.at(), cursor.at() + 10)
  return changed
}

/*
 * topics    = *(name *partition tags)            ; name: a string, or the topic's id
 * partition = number:4 errorCode:2 more tags
 * more      = baseOffset:8 appendTime:8 startOffset:8 *(number:4 message tags) message   ; only of a Produce response
 */
function failPartitions(
  cursor: Cursor,
  { code, isProduce, hasIds }: { code: number; isProduce: boolean; hasIds: boolean },
): void {
  const skipMore = (): void => {
    cursor.skip(24)
    cursor.each(() => {
      cursor.skip(4)
      cursor.skipText()
      cursor.skipTags()
    })
    cursor.skipText()
  }
  cursor.each(() => {
    if (isProduce && hasIds) cursor.skip(16)
    else cursor.skipText()
    cursor.each(() => {
      cursor.skip(4)
      cursor.putInt16(code)
      if (isProduce) skipMore()
      cursor.skipTags()
    })
    cursor.skipTags()
  })
}

/** throttle:4 errorCode:2 sessionId:4, no topics, no tags */
function emptyFetch(frame: Buffer, code: number): Buffer {
  const made = Buffer.alloc(BODY + 12)
  frame.copy(made, 0, 0, BODY)
  made.writeInt32BE(made.length - 4, 0)
  made.writeInt16BE(code, BODY + THROTTLE_BYTES)
  made.writeUInt8(1, BODY + 10)
  return made
}

type Cursor = ReturnType<typeof createCursor>

/** Reads compact arrays and strings, after a varint of their length + 1, and tags, after a varint of their number. */
function createCursor(bytes: Buffer, start: number) {
  let at = start
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const octet = bytes[at] ?? 0
      at += 1
      value |= (octet & 0x7f) << shift
      if (octet < 0x80) return value
    }
  }
  const skip = (count: number): void => void (at += count)
  return {
    at: () => at,
    skip,
    each(visit: () => void): void {
      for (let left = varint() - 1; left > 0; left -= 1) visit()
    },
    skipText: (): void => skip(Math.max(0, varint() - 1)),
    skipTags(): void {
      for (let left = varint(); left > 0; left -= 1) {
        varint()
        skip(varint())
      }
    },
    putInt16(value: number): void {
      bytes.writeInt16BE(value, at)
      at += 2
    },
  }
}
