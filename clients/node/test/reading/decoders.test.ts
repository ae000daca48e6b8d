// The decoders of LZ4 and Snappy are copies of files in packages/kafka, whose tests are also valid for the copies.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import kafkajs from 'kafkajs'
import { addCodecs } from '../../src/reading/codecs.ts'

const root = join(import.meta.dirname, '../../../..')
const textOf = (path: string): Promise<string> => readFile(join(root, path), 'utf8')

test.each(['unpack-lz4.ts', 'unpack-snappy.ts'])('%s is that of packages/kafka', async (file) => {
  expect(await textOf(`clients/node/src/reading/${file}`)).toBe(
    await textOf(`packages/kafka/src/protocol/${file}`),
  )
})

test('a codec that the program has given to kafkajs stays, and the others are added', async () => {
  const { CompressionCodecs, CompressionTypes } = kafkajs
  const mine = () => 'mine'
  CompressionCodecs[CompressionTypes.LZ4] = mine
  addCodecs(kafkajs)
  expect(CompressionCodecs[CompressionTypes.LZ4]).toBe(mine)
  const { decompress, compress } = CompressionCodecs[CompressionTypes.Snappy]()
  expect(String(await decompress(Buffer.from([3, 8, 97, 98, 99])))).toBe('abc')
  for (const type of [CompressionTypes.Snappy, CompressionTypes.ZSTD] as const)
    await expect(CompressionCodecs[type]().decompress(Buffer.from('no'))).rejects.toMatchObject({
      name: 'ReadError',
      code: 'unreadable',
    })
  await expect(compress()).rejects.toThrow('does not write')
})
