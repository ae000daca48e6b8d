// The worst events in binary Avro, and the processing of events after reading. An event has up to 1 MiB.
import type { ParserCase } from '../../src/complexity/parser-growth.ts'
import { datumOf, long, many } from './parts.ts'
import { ints, intsByName, lists, nested, texts, union } from './worst-contracts.ts'

const items = (count: number, item: Uint8Array): Buffer =>
  Buffer.concat([long(count), Buffer.concat(many(count, () => item)), long(0)])

export const avroCases: readonly ParserCase[] = [
  {
    name: 'a list of many numbers',
    size: 30_000,
    at: (n) => {
      const datum = datumOf(items(n, long(1)))
      return () => ints.skimAvro(datum)
    },
    ends: 'taken',
  },
  {
    name: 'a list of many blocks',
    size: 10_000,
    at: (n) => {
      const datum = datumOf(Buffer.concat(many(n, () => Buffer.from([1, 2, 2]))), long(0))
      return () => ints.skimAvro(datum)
    },
    ends: 'taken',
  },
  {
    name: 'numbers that are longer than they need be',
    size: 12_000,
    at: (n) => {
      const datum = datumOf(items(n, Buffer.from([0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0])))
      return () => ints.skimAvro(datum)
    },
    ends: 'taken',
  },
  {
    name: 'texts that seem not to be UTF-8 and are',
    size: 6_000,
    at: (n) => {
      const datum = datumOf(items(n, Buffer.from([6, 0xef, 0xbf, 0xbd])))
      return () => texts.decode(datum)
    },
    ends: 'taken',
  },
  {
    name: 'one text that is not UTF-8 at its end',
    size: 120_000,
    at: (n) => {
      const datum = datumOf(long(1), long(n + 1), Buffer.alloc(n, 'x'), Buffer.from([0xff, 0]))
      return () => texts.skimAvro(datum)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a map of many keys, the last of them twice',
    size: 2_000,
    at: (n) => {
      const key = (i: number) => Buffer.from(`\u000e${String(i).padStart(7, '0')}\0`)
      const datum = datumOf(long(n + 1), Buffer.concat(many(n, key)), key(n - 1), long(0))
      return () => intsByName.skimAvro(datum)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'lists in a list, all of them empty',
    size: 15_000,
    at: (n) => {
      const datum = datumOf(items(n, long(0)))
      return () => lists.skimAvro(datum)
    },
    ends: 'taken',
  },
  {
    name: 'records in records without end',
    size: 30_000,
    at: (n) => {
      const datum = datumOf(Buffer.concat(many(n, () => long(1))), long(0))
      return () => nested.skimAvro(datum)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a count that the rest just allows, and too few items',
    size: 120_000,
    at: (n) => {
      const datum = datumOf(long(n), Buffer.alloc(n, 0x80))
      return () => ints.skimAvro(datum)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'an event of many values, written again and shown',
    size: 10_000,
    at: (n) => {
      const event = union.decode(datumOf(items(n, Buffer.from([2, 2]))))
      return () => [union.encode(event), JSON.stringify(union.toPlain(event))]
    },
    ends: 'taken',
  },
]
