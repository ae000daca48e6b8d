// Key-encryption keys from lines, and the wrapping keys that they wrap. No error contains text of a line.
import { describe, expect, test } from '@jest/globals'
import { kekNamesIn, kekOf, parseKekFile, unwrapByKek, wrapByKek } from '../src/index.ts'
import { asyncRefusalOf, refusalOf } from './support/errors.ts'

const HEX_1 = '11'.repeat(32)
const HEX_2 = '22'.repeat(32)
const BASE64_3 = Buffer.alloc(32, 0x33).toString('base64')
const RECORD_KEY = '_ring/open/7'
const wrappingKey = Buffer.alloc(32, 5)

describe('a KEK file', () => {
  test('takes comments, blank lines, any line ends, and keys in two forms', async () => {
    const text = `\uFEFF# keys\r\n\r\n  main 1 ${HEX_1}\r\n\tmain   10\t${BASE64_3}\n#\nmain 9 ${HEX_2}`
    const provider = parseKekFile(text)
    const value = await wrapByKek(provider, RECORD_KEY, wrappingKey)
    expect(kekOf(RECORD_KEY, value)).toBe('file:main:10')
    expect(await unwrapByKek(provider, RECORD_KEY, value)).toEqual(wrappingKey)
  })

  test('unwraps with every version that it holds, and with no other', async () => {
    const old = await wrapByKek(parseKekFile(`main 1 ${HEX_1}`), RECORD_KEY, wrappingKey)
    const both = parseKekFile(`main 1 ${HEX_1}\nmain 2 ${HEX_2}`)
    const onlyNew = parseKekFile(`main 2 ${HEX_2}`)
    const wrong = parseKekFile(`main 1 ${HEX_2}`)
    expect(await unwrapByKek(both, RECORD_KEY, old)).toEqual(wrappingKey)
    expect(await asyncRefusalOf(() => unwrapByKek(onlyNew, RECORD_KEY, old))).toEqual({
      code: 'fieldcrypt.record_unreadable',
      message: `record ${RECORD_KEY} cannot be decrypted: the version of the KEK is not available`,
    })
    expect(await asyncRefusalOf(() => unwrapByKek(wrong, RECORD_KEY, old))).toEqual({
      code: 'fieldcrypt.record_unreadable',
      message: `record ${RECORD_KEY} cannot be decrypted`,
    })
  })

  test('of several names wraps with the one that is chosen', async () => {
    const text = `main 1 ${HEX_1}\nlevels 4 ${HEX_2}\nlevels 3 ${BASE64_3}`
    const provider = parseKekFile(text, { name: 'levels' })
    expect(kekOf(RECORD_KEY, await wrapByKek(provider, RECORD_KEY, wrappingKey))).toBe(
      'file:levels:4',
    )
    const main = await wrapByKek(parseKekFile(text, { name: 'main' }), RECORD_KEY, wrappingKey)
    expect(await unwrapByKek(provider, RECORD_KEY, main)).toEqual(wrappingKey)
  })

  test.each([
    ['', 'there is no KEK: a line is «name version key»'],
    ['# only this\n\n', 'there is no KEK: a line is «name version key»'],
    [`main ${HEX_1}`, 'KEK line 1: expected three words, «name version key»'],
    [`\nmain 1 ${HEX_1} x`, 'KEK line 2: expected three words, «name version key»'],
    [`ma:in 1 ${HEX_1}`, 'KEK line 1: the name has 1 to 63 letters, digits, dots, _ or -'],
    [`${BASE64_3} 1 main`, 'KEK line 1: the name has 1 to 63 letters, digits, dots, _ or -'],
    [`main 0 ${HEX_1}`, 'KEK line 1: the version is a whole number from 1 to 999999999'],
    [`main 1.5 ${HEX_1}`, 'KEK line 1: the version is a whole number from 1 to 999999999'],
    [`main v1 ${HEX_1}`, 'KEK line 1: the version is a whole number from 1 to 999999999'],
    [`main ${HEX_1} 1`, 'KEK line 1: the version is a whole number from 1 to 999999999'],
    [
      `main 1 ${HEX_1.slice(2)}`,
      'KEK line 1: the key has 64 hexadecimal digits or 44 characters of base64',
    ],
    [
      `main 1 ${BASE64_3.slice(0, -2)}1=`,
      'KEK line 1: the key has 64 hexadecimal digits or 44 characters of base64',
    ],
    [`main 1 ${HEX_1}\n# \nmain 1 ${HEX_2}`, 'KEK line 3: this name and version stand there twice'],
  ])('%j is refused: «%s»', (text, message) => {
    const refusal = refusalOf(() => parseKekFile(text))
    expect(refusal).toEqual({ code: 'fieldcrypt.kek_file_invalid', message })
    for (const key of [HEX_1, HEX_2, BASE64_3]) expect(message).not.toContain(key.slice(0, 8))
  })

  test('of several names, none of them chosen, unwraps with all and wraps with none', async () => {
    const text = `a 1 ${HEX_1}\nb 1 ${HEX_2}`
    const provider = parseKekFile(text)
    expect(kekNamesIn(text)).toEqual(['a', 'b'])
    const value = await wrapByKek(parseKekFile(text, { name: 'b' }), RECORD_KEY, wrappingKey)
    expect(await unwrapByKek(provider, RECORD_KEY, value)).toEqual(wrappingKey)
    expect(await asyncRefusalOf(() => wrapByKek(provider, RECORD_KEY, wrappingKey))).toEqual({
      code: 'fieldcrypt.kek_file_invalid',
      message: 'there are KEKs of several names: say which one wraps',
    })
  })

  test('without a KEK of the chosen name is refused', () => {
    expect(refusalOf(() => parseKekFile(`main 1 ${HEX_1}`, { name: 'levels' }))).toEqual({
      code: 'fieldcrypt.kek_file_invalid',
      message: 'there is no KEK of the name that is to wrap',
    })
  })
})

describe('a wrapped wrapping key', () => {
  const provider = parseKekFile(`main 1 ${HEX_1}`, { nonce: () => Buffer.alloc(12, 9) })

  test('is format, id of the KEK, nonce, ciphertext and tag', async () => {
    const value = await wrapByKek(provider, RECORD_KEY, wrappingKey)
    const id = Buffer.from('file:main:1')
    expect(value.subarray(0, 13)).toEqual(Buffer.concat([Buffer.of(1, id.length), id]))
    expect(value.subarray(13, 25)).toEqual(Buffer.alloc(12, 9))
    expect(value).toHaveLength(13 + 12 + 32 + 16)
  })

  test('does not open as another record, cut off, or with any bit changed', async () => {
    const value = await wrapByKek(provider, RECORD_KEY, wrappingKey)
    const codeOf = async (recordKey: string, bytes: Buffer) =>
      (await asyncRefusalOf(() => unwrapByKek(provider, recordKey, bytes)))?.code
    expect(await codeOf('_ring/open/8', value)).toBe('fieldcrypt.record_unreadable')
    for (let length = 0; length < value.length; length++) {
      expect(await codeOf(RECORD_KEY, value.subarray(0, length))).toBe(
        'fieldcrypt.record_unreadable',
      )
    }
    for (let bit = 0; bit < value.length * 8; bit++) {
      const changed = Buffer.from(value)
      changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
      expect(await codeOf(RECORD_KEY, changed)).toBe('fieldcrypt.record_unreadable')
    }
  })

  test('of another provider is not tried, so that a wrong configuration is seen', async () => {
    const env = parseKekFile(`main 1 ${HEX_1}`, { provider: 'env' })
    const value = await wrapByKek(env, RECORD_KEY, wrappingKey)
    expect(kekOf(RECORD_KEY, value)).toBe('env:main:1')
    expect(await asyncRefusalOf(() => unwrapByKek(provider, RECORD_KEY, value))).toEqual({
      code: 'fieldcrypt.record_unreadable',
      message: `record ${RECORD_KEY} cannot be decrypted: its KEK is not of the provider file`,
    })
  })

  test('of a key with another size is refused', async () => {
    const value = await wrapByKek(provider, RECORD_KEY, Buffer.alloc(16))
    expect((await asyncRefusalOf(() => unwrapByKek(provider, RECORD_KEY, value)))?.code).toBe(
      'fieldcrypt.record_unreadable',
    )
  })
})
