// A name has only one definition, so that a search finds the right one. The driver and the console's page import no
// other code, so these may use the same names.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const defined = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm
const shown = /^export (?:type )?\{([^}]*)\}/gm

/** Names that each service defines for itself. */
const perService = new Set(
  (
    'Config configSchema readConfig errors errorTable ErrorCode refusal ' +
    'createApp createRoutes Routes Route routeNeeds needsOf openApi'
  ).split(' '),
)
/** Files with the short names of three small languages: forms of records, settings, JSON Schema. */
const vocabularies = [
  'packages/control-state/src/forms/guards.ts',
  'packages/kit/src/config/config-fields.ts',
  'packages/docs/src/openapi/schema.ts',
]

const roomOf = (file: string): string => file.split('/', 2).join('/')
const read = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8')
const sources = globSync('{packages,services,clients,tools}/*/src/**/*.ts', { cwd: REPOSITORY })

/** Returns the names with more than one definition, with their places. */
const ambiguous = (from: readonly (readonly [name: string, place: string])[]): string[] =>
  [...Map.groupBy(from, ([name]) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(([, place]) => place).join(', ')}`)

const definitionsOf = (files: readonly string[]) =>
  files.flatMap((file) =>
    [...read(file).matchAll(defined)].map(([, name = '']) => [name, file] as const),
  )

test('each exported name is defined once', () => {
  expect(sources.length).toBeGreaterThan(500)
  const alone = sources.filter((file) => /^clients\/(?:node|console)\//.test(file))
  const rooms = Map.groupBy(alone, roomOf)
  const others = definitionsOf(
    sources.filter((file) => !alone.includes(file) && !vocabularies.includes(file)),
  ).filter(([name, file]) => !file.startsWith('services/') || !perService.has(name))
  expect([...rooms.values()].flatMap((files) => ambiguous(definitionsOf(files)))).toEqual([])
  expect(ambiguous(others)).toEqual([])
})

test('a service defines each name once, too', () => {
  const services = Map.groupBy(
    sources.filter((file) => file.startsWith('services/')),
    roomOf,
  )
  expect(services.size).toBe(3)
  expect([...services.values()].flatMap((files) => ambiguous(definitionsOf(files)))).toEqual([])
})

test('the test finds what is defined twice', () => {
  expect(ambiguous(['a', 'b', 'a'].map((name, at) => [name, `${at}.ts`] as const))).toEqual([
    'a: 0.ts, 2.ts',
  ])
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
