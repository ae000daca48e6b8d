// Types of kafkajs's own decoders, with which the tests look at the bytes that this package writes.

declare module 'kafkajs/src/protocol/decoder.js' {
  class Decoder {
    constructor(buffer: Buffer)
    offset: number
    readInt8(): number
    readInt16(): number
    readInt32(): number
    readString(): string
    readBytes(length: number): Buffer
    canReadInt32(): boolean
    slice(length: number): Decoder
  }
  export = Decoder
}

declare module 'kafkajs/src/protocol/recordBatch/v0/decoder.js' {
  import type Decoder from 'kafkajs/src/protocol/decoder.js'

  type DecodedBatch = {
    firstTimestamp: string
    maxTimestamp: string
    lastOffsetDelta: number
    producerId: string
    records: {
      offset: string
      timestamp: string
      key: Buffer | null
      value: Buffer | null
      headers: Record<string, Buffer>
    }[]
  }
  function decodeBatch(decoder: Decoder): Promise<DecodedBatch>
  export = decodeBatch
}

declare module 'kafkajs/src/protocol/recordBatch/crc32C/index.js' {
  function crc32C(buffer: Buffer): number
  export = crc32C
}
