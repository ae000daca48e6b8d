// One name, one meaning: a search for a definition finds exactly one. Drivers and the page are used outside of this
// repository, apart from our other code, so their names are independent.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const defined = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm
const shown = /^export (?:type )?\{([^}]*)\}/gm

const roomOf = (file: string): string => file.split('/', 2).join('/')
const read = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8')
const sources = globSync('{packages,services,clients,tools}/*/src/**/*.ts', { cwd: REPOSITORY })

/** Each name that is defined in more than one place, with those places. */
const ambiguous = (from: readonly (readonly [name: string, place: string])[]): string[] =>
  [...Map.groupBy(from, ([name]) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(([, place]) => place).join(', ')}`)

test('within a room each exported name is defined once', () => {
  expect(sources.length).toBeGreaterThan(500)
  const rooms = Map.groupBy(sources, roomOf)
  const twice = [...rooms.values()].flatMap((files) =>
    ambiguous(
      files.flatMap((file) =>
        [...read(file).matchAll(defined)].map(([, name = '']) => [name, file] as const),
      ),
    ),
  )
  expect(twice).toEqual([])
})

test('no two doors of packages and tools give different things the same name', () => {
  const doors = sources.filter((file) => /^(packages|tools)\/[^/]+\/src\/index\.ts$/.test(file))
  expect(doors.length).toBeGreaterThan(8)
  const names = doors.flatMap((file) =>
    [...read(file).matchAll(shown)]
      .flatMap(([, list = '']) => list.split(','))
      .map((name) =>
        name
          .trim()
          .replace(/^type /, '')
          .replace(/^.* as /, ''),
      )
      .filter((name) => name !== '')
      .map((name) => [name, roomOf(file)] as const),
  )
  expect(ambiguous(names)).toEqual([])
})
