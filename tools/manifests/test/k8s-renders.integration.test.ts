// Renders every overlay, example and combination of components. The result is valid by the schemas of Kubernetes and of
// custom resources, and gives each service exactly the variables that the service reads.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'

import { configComplaints, SERVICES, settingsOf } from '../src/code/settings.ts'
import type { ServiceName } from '@weir/devstack'
import { makeStandInFiles } from '../src/code/stand-in-files.ts'
import type { StandInFiles } from '../src/code/stand-in-files.ts'
import type { Json } from '../src/json.ts'
import { configOf, readDockerfile } from '../src/manifests/dockerfile.ts'
import { deployment, environmentOf, mountsOf } from '../src/manifests/pods.ts'
import {
  COMPONENTS,
  everyCombination,
  kindOf,
  nameOf,
  render,
  renderAll,
} from '../src/manifests/render.ts'
import { createValidator } from '../src/manifests/schemas.ts'
import { REPOSITORY } from '@weir/devstack'
import { scale } from '@weir/testkit'

const stages = readDockerfile(await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8'))
/** `npm test` tries only sets of at most two components, where most conflicts are, and of nearly all components. */
const combinations = everyCombination().filter(({ length }) =>
  scale(true, length < 3 || length >= COMPONENTS.length - 2),
)

const renderings = new Map<string, Json[]>()
let files: StandInFiles
beforeAll(async () => {
  files = await makeStandInFiles()
  for (const parent of ['overlays', 'tests']) {
    const folders = await readdir(join(REPOSITORY, 'k8s', parent), { withFileTypes: true })
    for (const { name } of folders.filter((entry) => entry.isDirectory()))
      renderings.set(`${parent}/${name}`, await render(join(REPOSITORY, 'k8s', parent, name)))
  }
  const rendered = await renderAll(combinations)
  for (const [index, set] of combinations.entries())
    renderings.set(`base ${set.join(' ')}`.trim(), rendered[index] ?? [])
}, 580_000)
afterAll(() => files.remove())

test('there are overlays for a trial and for production, and each combination is rendered', () => {
  const names = [...renderings.keys()]
  expect(names).toEqual(expect.arrayContaining(['overlays/dev', 'overlays/prod', 'base']))
  expect(names.length).toBeGreaterThan(scale(80, 25))
  for (const [, objects] of renderings) expect(objects.length).toBeGreaterThan(15)
})

test('every object is valid by its schema', async () => {
  const validate = await createValidator()
  const faults: string[] = []
  for (const [name, objects] of renderings)
    for (const object of objects)
      for (const fault of await validate(object))
        faults.push(`${name}: ${kindOf(object)} ${nameOf(object)}: ${fault}`)
  expect([...new Set(faults)]).toEqual([])
}, 200_000)

test('the schemas do refuse: a wrong field, a wrong type, an unknown kind', async () => {
  const validate = await createValidator()
  const policy = (spec: Json) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    spec,
  })
  expect(await validate(policy({ podSelector: {} }))).toEqual([])
  expect(await validate(policy({ podSelector: {}, egres: [] }))).not.toEqual([])
  expect(await validate(policy({ podSelector: 'all' }))).not.toEqual([])
  const kafka = { apiVersion: 'kafka.strimzi.io/v1', kind: 'Kafka', spec: { kafkas: {} } }
  expect(await validate(kafka)).not.toEqual([])
  expect(await validate({ apiVersion: 'v1', kind: 'Nothing' })).not.toEqual([])
}, 200_000)

/** Returns a service's distinct environments, each with the name of a rendering that has it. */
function environmentsOf(service: ServiceName): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, objects] of renderings) {
    const env = environmentOf(objects, deployment(objects, `weir-${service}`))
    found.set(JSON.stringify(env), name)
  }
  return found
}

describe.each(SERVICES)('%s', (service) => {
  const image = configOf(stages, service).env

  test('is given every variable that it needs and none that it does not read, and takes them', async () => {
    const settings = await settingsOf(service)
    const keys = settings.map(({ key }) => key)
    const needed = settings.filter(({ required }) => required).map(({ key }) => key)
    const places: string[] = []
    const whole: Record<string, string>[] = []
    for (const [text, where] of environmentsOf(service)) {
      const env: Record<string, string> = JSON.parse(text)
      const given = Object.keys(env)
      expect([where, given.filter((key) => !keys.includes(key))]).toEqual([where, []])
      expect([where, needed.filter((key) => !given.includes(key))]).toEqual([where, []])
      places.push(where)
      whole.push(files.in({ ...image, ...env }))
    }
    const complaints = await configComplaints(service, whole)
    expect(complaints.map((complaint, index) => [places[index], complaint])).toEqual(
      places.map((where) => [where, '']),
    )
  })

  test('finds every file that a variable names below a mount', () => {
    for (const [name, objects] of renderings) {
      const workload = deployment(objects, `weir-${service}`)
      const env = Object.entries(environmentOf(objects, workload))
      const paths = env.filter(([key]) => key.endsWith('_FILE')).map(([, path]) => path)
      const mounts = mountsOf(workload)
      const lost = paths.filter((path) => !mounts.some((mount) => path.startsWith(`${mount}/`)))
      expect([name, lost]).toEqual([name, []])
    }
  })
})
