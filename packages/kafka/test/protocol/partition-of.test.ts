import { expect, test } from '@jest/globals'

import { partitionOf } from '../../src/protocol/partition-of.ts'

// Hashes from Kafka's own test of murmur2. This test makes them positive, as Kafka's partitioner does.
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['abc', 479470107],
])('the key %s goes to the partition that the Java producer would choose', (key, hash) => {
  for (const partitions of [1, 3, 7, 100]) {
    const expected = (hash & 0x7fffffff) % partitions
    expect(partitionOf(key, partitions)).toBe(expected)
    expect(partitionOf(Buffer.from(key), partitions)).toBe(expected)
  }
})
