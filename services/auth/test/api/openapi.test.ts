// Compares auth's OpenAPI document with its router: the document has all routes except those of web pages and its own.
import { expect, test } from '@jest/globals'
import { openApi } from '../../src/api/openapi/document.ts'
import { routesOfAuth } from './routes-of.ts'

type Paths = Record<string, Record<string, unknown>>

test('the document tells of every route of auth, and of no other', () => {
  const { paths } = openApi('0.0.0') as { paths: Paths }
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const routes = routesOfAuth()
    .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
    .filter((route) => !/ \/($|docs|openapi\.json|verify|favicon\.ico)/.test(route))
  expect(told.sort()).toEqual(routes.sort())
})
