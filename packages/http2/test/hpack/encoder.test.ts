import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createHeaderDecoder, decodeHeaders } from '../../src/hpack/decoder.ts'
import { encodeHeaders } from '../../src/hpack/encoder.ts'
import { staticTable } from '../../src/hpack/static-table.ts'

const limits = { tableBytesMax: 4_096, listBytesMax: 1_000_000, listFieldsMax: 1_000 }
const hex = (fields: [string, string][]): string => encodeHeaders(fields).toString('hex')

test('the RFC’s examples that leave the table alone are written byte for byte', () => {
  expect(hex([[':path', '/sample/path']])).toBe('040c2f73616d706c652f70617468') // C.2.2
  expect(hex([[':method', 'GET']])).toBe('82') // C.2.4
})

test('a status of the static table is one byte', () => {
  for (const status of ['200', '204', '400', '404', '500'])
    expect(encodeHeaders([[':status', status]])).toHaveLength(1)
})

test('the static table is that of RFC 7541 Appendix A', () => {
  expect(staticTable).toHaveLength(61)
  const at = (index: number) => staticTable[index - 1]
  expect(at(1)).toEqual({ name: ':authority', value: '' })
  expect(at(8)).toEqual({ name: ':status', value: '200' })
  expect(at(16)).toEqual({ name: 'accept-encoding', value: 'gzip, deflate' })
  expect(at(33)).toEqual({ name: 'date', value: '' })
  expect(at(61)).toEqual({ name: 'www-authenticate', value: '' })
})

test('what is written is read back, and never changes the reader’s table', () => {
  const name = fc.stringMatching(/^[a-z-]{1,40}$/)
  const value = fc.stringMatching(/^[ -~]{0,300}$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 20 }), (fields) => {
      const read = decodeHeaders(createHeaderDecoder(limits), encodeHeaders(fields))
      expect(read.changedTable).toBe(false)
      expect(read.fields).toEqual(fields.map(([n, v]) => ({ name: n, value: v })))
    }),
  )
})
