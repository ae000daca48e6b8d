// Compares docker-compose.yml with the compose specification, the Dockerfile, the services' settings and `npm start`.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { parse } from 'yaml'

import { analystSettings, CLOCK_SKEW } from '../src/code/listener.ts'
import { configComplaints, portOf, SERVICES, settingsOf } from '../src/code/settings.ts'
import { makeStandInFiles } from '../src/code/stand-in-files.ts'
import type { StandInFiles } from '../src/code/stand-in-files.ts'
import { arrayOf, at, objectAt, objectsOf, manifestTextAt } from '../src/json.ts'
import { composeServices, composeEnvironmentOf, readCompose } from '../src/manifests/compose.ts'
import { configOf, readDockerfile } from '../src/manifests/dockerfile.ts'
import { REPOSITORY } from '@weir/devstack'

// The services' own code runs in separate processes.
jest.setTimeout(60_000)

const compose = await readCompose()
const services = composeServices(compose)
const stages = readDockerfile(await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8'))
const of = (name: string) => objectAt(compose, 'services', name)

let files: StandInFiles
beforeAll(async () => {
  files = await makeStandInFiles()
})
afterAll(() => files.remove())

describe.each(SERVICES)('%s', (service) => {
  const given = composeEnvironmentOf(of(service))
  const ofImage = configOf(stages, service).env

  test('is given every variable that it needs, and none that it does not read', async () => {
    const settings = await settingsOf(service)
    const keys = settings.map(({ key }) => key)
    expect(Object.keys(given).filter((key) => !keys.includes(key))).toEqual([])
    const needed = settings.filter(({ required }) => required).map(({ key }) => key)
    expect(needed.filter((key) => given[key] === undefined)).toEqual([])
    const whole = files.in({ ...ofImage, ...given })
    expect(await configComplaints(service, [whole])).toEqual([''])
  })

  test('is reached where npm start has it', async () => {
    const ports = arrayOf(of(service)['ports']).map(String)
    for (const port of [await portOf(service, 'api'), await portOf(service, 'admin')])
      expect(ports).toContain(`127.0.0.1:${port}:${port}`)
  })

  test('has time to end, a read-only root and no capability', () => {
    expect(Number.parseInt(manifestTextAt(of(service), 'stop_grace_period'), 10)).toBeGreaterThan(
      10,
    )
    expect(of(service)).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  })
})

test('each service sees a volume with its own secrets, and no other sees it', () => {
  const seenBy = (volume: string) =>
    services.flatMap(([name, service]) =>
      arrayOf(service['volumes']).some((each) => String(each).startsWith(`${volume}:`))
        ? [name]
        : [],
    )
  for (const name of SERVICES) expect(seenBy(`secrets-${name}`)).toEqual(['setup', name])
  expect(of('setup')['network_mode']).toBe('none')
})

test('everything is published on loopback alone', () => {
  const ports = services.flatMap(([, service]) => arrayOf(service['ports']).map(String))
  expect(ports.length).toBeGreaterThan(5)
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
})

test('the registry lets everybody do everything, so its port is not published', () => {
  expect(of('registry')['ports']).toBeUndefined()
  for (const [name, service] of services)
    expect([name, 'SCHEMA_REGISTRY_URL' in composeEnvironmentOf(service)]).toEqual([
      name,
      name === 'auth',
    ])
})

test('images of our own are stages of the Dockerfile, all others are pinned to a version', () => {
  for (const [, service] of services) {
    expect(manifestTextAt(service, 'image')).toMatch(/:v?\d+\.\d+\.\d+$/)
  }
  const targets = services.map(([, service]) => manifestTextAt(service, 'build', 'target'))
  const names = stages.map(({ name }) => name)
  expect(targets.filter((target) => target !== '' && !names.includes(target))).toEqual([])
})

test('Kafka and the registry have the versions that npm start runs', async () => {
  const source = await readFile(
    join(REPOSITORY, 'tools/devstack/src/programs/distribution.ts'),
    'utf8',
  )
  const version = (name: string) => new RegExp(`${name}_VERSION = '(.*)'`).exec(source)?.[1]
  expect(manifestTextAt(of('kafka'), 'image')).toBe(`apache/kafka:${version('KAFKA')}`)
  expect(manifestTextAt(of('registry'), 'image')).toBe(
    `apicurio/apicurio-registry:${version('REGISTRY')}`,
  )
})

test("the analysts' listener is set as devstack sets it", async () => {
  const given = Object.keys(composeEnvironmentOf(of('kafka')))
  const prefix = 'KAFKA_LISTENER_NAME_ANALYSTS_'
  const variableOf = (name: string) => prefix + name.toUpperCase().replaceAll('.', '_')
  const own = new Set(given.filter((key) => key.startsWith(prefix)))
  own.add(variableOf(CLOCK_SKEW))
  const wanted = [...(await analystSettings()), CLOCK_SKEW].map(variableOf)
  expect(own).toEqual(new Set(wanted))
  const keysAt = manifestTextAt(
    of('kafka'),
    'environment',
    variableOf('sasl.oauthbearer.jwks.endpoint.url'),
  )
  expect(manifestTextAt(of('kafka'), 'environment', 'KAFKA_OPTS')).toContain(
    `allowed.urls=${keysAt}`,
  )
  const issuer = manifestTextAt(
    of('kafka'),
    'environment',
    variableOf('sasl.oauthbearer.expected.issuer'),
  )
  expect(issuer).toBe(composeEnvironmentOf(of('auth'))['AUTH_PUBLIC_URL'])
})

test('files and folders that containers see are there', () => {
  const sources = services.flatMap(([, service]) => arrayOf(service['volumes']).map(String))
  const own = sources
    .map((volume) => volume.split(':')[0] ?? '')
    .filter((path) => path.startsWith('.'))
  expect(own.length).toBeGreaterThan(1)
  expect(own.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([])
})

test('Prometheus asks the services where they answer', async () => {
  const config: unknown = parse(manifestTextAt(compose, 'configs', 'prometheus', 'content'))
  const targets = objectsOf(at(config, 'scrape_configs')).flatMap((job) =>
    objectsOf(job['static_configs']).flatMap((each) => arrayOf(each['targets']).map(String)),
  )
  for (const service of SERVICES)
    expect(targets).toContain(`${service}:${await portOf(service, 'admin')}`)
  for (const target of targets)
    expect(services.map(([name]) => name)).toContain(target.split(':')[0])
})
