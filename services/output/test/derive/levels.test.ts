// spec Events 4 and 5; docs/wire-format.md Derived streams
import { describe, expect, test } from '@jest/globals'
import { levelsDenied, levelsOf, mayUnwrapOf } from '../../src/derive/levels.ts'

describe('CUMULATIVE with level L', () => {
  test.each([
    [0, [0]],
    [1, [0, 1]],
    [2, [0, 1, 2]],
    [255, [0, 1, 2, 3, 255]],
  ])('L = %i opens of the levels 0, 1, 2, 3 and 255 exactly %j', (level, opened) => {
    const { open } = levelsOf({ consentLevels: [level], consentLevelType: 'CUMULATIVE' })
    expect([0, 1, 2, 3, 255].filter(open)).toEqual(opened)
  })

  test('passes events whose consent contains L; a higher level is not consent to a lower one', () => {
    const { pass } = levelsOf({ consentLevels: [1], consentLevelType: 'CUMULATIVE' })
    const consents = [[], [0], [1], [2], [0, 2], [0, 1, 2], [1, 1]]
    expect(consents.filter(pass)).toEqual([[1], [0, 1, 2], [1, 1]])
  })
})

describe('GRANULAR with levels S', () => {
  const { open, pass } = levelsOf({ consentLevels: [0, 2], consentLevelType: 'GRANULAR' })

  test('opens the levels in S and no other, lower ones included', () => {
    expect([0, 1, 2, 3].filter(open)).toEqual([0, 2])
  })

  test('passes events whose consent contains all of S', () => {
    const consents = [[], [0], [2], [0, 1], [2, 0], [0, 1, 2, 3]]
    expect(consents.filter(pass)).toEqual([
      [2, 0],
      [0, 1, 2, 3],
    ])
  })
})

describe('deny is the default', () => {
  test.each(['CUMULATIVE', 'GRANULAR'] as const)(
    '%s without a level passes and opens nothing',
    (type) => {
      const { open, pass } = levelsOf({ consentLevels: [], consentLevelType: type })
      expect([[], [0], [0, 1, 2, 3]].filter(pass)).toEqual([])
      expect([0, 1, 2, 3].filter(open)).toEqual([])
    },
  )

  test('a type that nobody knows passes and opens nothing', () => {
    const unknown = JSON.parse('{"consentLevels":[0],"consentLevelType":"EVERYTHING"}')
    const { open, pass } = levelsOf(unknown)
    expect([[], [0], [0, 1, 2, 3]].filter(pass)).toEqual([])
    expect([0, 1, 2, 3].filter(open)).toEqual([])
  })
})

describe('a deployment that may open the levels 0 and 1', () => {
  test.each([
    ['CUMULATIVE' as const, [1], []],
    ['CUMULATIVE' as const, [3], [2, 3]],
    ['GRANULAR' as const, [0, 1], []],
    ['GRANULAR' as const, [1, 2], [2]],
  ])('lacks of a %s stream of %j the levels %j', (consentLevelType, levels, denied) => {
    expect(levelsDenied({ consentLevels: levels, consentLevelType }, [0, 1])).toEqual(denied)
    expect(levelsDenied({ consentLevels: levels, consentLevelType }, undefined)).toEqual([])
  })

  test('unwraps no other wrapping keys; none unwraps those of keys that are not for output', () => {
    const names = ['open', 'level.0', 'level.1', 'level.2', 'level.x', 'link', 'sign', 'new']
    expect(names.filter(mayUnwrapOf([0, 1]))).toEqual(['open', 'level.0', 'level.1'])
    expect(names.filter(mayUnwrapOf(undefined))).toEqual(['open', 'level.0', 'level.1', 'level.2'])
  })
})
