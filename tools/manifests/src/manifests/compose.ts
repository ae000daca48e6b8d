// Reads docker-compose.yml as compose does, with merge keys resolved.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { parse } from 'yaml'

import { isJson, objectAt, manifestTextAt } from '../json.ts'
import type { Json } from '../json.ts'
import { REPOSITORY } from '@weir/devstack'

export async function readCompose(): Promise<Json> {
  const text = await readFile(join(REPOSITORY, 'docker-compose.yml'), 'utf8')
  const document: unknown = parse(text, { merge: true })
  if (!isJson(document)) throw new Error('docker-compose.yml is not an object')
  return document
}

export const composeServices = (compose: Json): [name: string, service: Json][] =>
  Object.entries(objectAt(compose, 'services')).flatMap(([name, service]) =>
    isJson(service) ? [[name, service] as [string, Json]] : [],
  )

export function composeEnvironmentOf(service: Json): Record<string, string> {
  const given = objectAt(service, 'environment')
  return Object.fromEntries(Object.keys(given).map((key) => [key, manifestTextAt(given, key)]))
}
