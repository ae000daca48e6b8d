// Helpers for the cases of routes.
import { requestBytes } from '../../src/complexity/exchange.ts'
import type { ExchangeRequest } from '../../src/complexity/exchange.ts'
import type { RouteCase } from '../../src/complexity/route-growth.ts'
import { many } from './parts.ts'

export type Scene = {
  readonly apiKey: string
  /** A token of an input stream. */
  readonly token: string
  readonly stream: string
}

export type Headers = NonNullable<ExchangeRequest['headers']>
export type Case = RouteCase<Scene>

export const json: Headers = [['content-type', 'application/json']]
export const form: Headers = [['content-type', 'application/x-www-form-urlencoded']]
export const byKey = ({ apiKey }: Scene): Headers => [
  ['authorization', `Bearer ${apiKey}`],
  ...json,
]
export const asProducer = ({ token }: Scene): Headers => [
  ['authorization', `Bearer ${token}`],
  ['svc-schema-id', 'clickstream'],
]
export const list = (count: number, item: string): string =>
  `[${many(count, () => item).join(',')}]`
export const wide = (count: number): string => `{${many(count, (i) => `"m${i}":0`).join(',')}}`

export const byPost =
  (
    path: string,
    headers: (scene: Scene) => Headers,
    body: (size: number) => string | Buffer,
  ): Case['send'] =>
  (size, scene) =>
    requestBytes({ path, headers: headers(scene), body: body(size) })

/** Sends a request whose head grows with the size. */
export const byHead =
  (
    method: string,
    path: (size: number) => string,
    headers: (size: number, scene: Scene) => Headers = () => [],
  ): Case['send'] =>
  (size, scene) =>
    requestBytes({ method, path: path(size), headers: headers(size, scene) })
