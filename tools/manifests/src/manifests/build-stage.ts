// Executes the COPY and RUN steps of an image's stages without a container engine, in one folder per stage. So RUN
// lines may name only paths below their WORKDIR. The pinned Node replaces the only outside image, that of Node.

import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { configOf, stageOf } from './dockerfile.ts'
import type { Stage, Step } from './dockerfile.ts'

export type Build = {
  stages: readonly Stage[]
  /** The parent folder of the stages' folders, each of which replaces the stage's `/`. */
  folder: string
  /** The source of `COPY .`. */
  context: string
}

const run = promisify(execFile)
const done = new Map<string, Promise<string>>()

/** Resolves with the folder that replaces the stage's `/`. Each stage is built once. */
export function buildStage(build: Build, name: string): Promise<string> {
  const key = join(build.folder, name)
  const built = done.get(key) ?? buildAnew(build, name)
  done.set(key, built)
  return built
}

async function buildAnew(build: Build, name: string): Promise<string> {
  const root = join(build.folder, name)
  await mkdir(root, { recursive: true })
  const stage = stageOf(build.stages, name)
  const parent = build.stages.find((each) => each.name === stage.from)
  if (parent !== undefined)
    await cp(await buildStage(build, parent.name), root, {
      recursive: true,
      verbatimSymlinks: true,
    })
  const place: Place = {
    build,
    root,
    workdir: parent ? configOf(build.stages, parent.name).workdir : '/',
  }
  for (const step of stage.steps) {
    if (step.instruction === 'WORKDIR') place.workdir = step.text
    if (step.instruction === 'COPY') await copy(place, step)
    if (step.instruction === 'RUN') await runIn(place, step)
  }
  return root
}

type Place = { build: Build; root: string; workdir: string }

async function copy({ build, root, workdir }: Place, { flags, text }: Step): Promise<void> {
  const paths = text.split(/\s+/)
  const target = join(root, resolve(workdir, paths.at(-1) ?? ''))
  for (const source of paths.slice(0, -1)) {
    const from = await sourceOf(build, flags['from'], source)
    await mkdir(dirname(target), { recursive: true })
    await cp(from, target, { recursive: true, verbatimSymlinks: true })
  }
}

async function sourceOf(build: Build, stage: string | undefined, path: string): Promise<string> {
  if (stage === undefined) return join(build.context, path)
  // in the official Node image
  if (path === '/usr/local/bin/node') return process.execPath
  return join(await buildStage(build, stage), path)
}

async function runIn({ root, workdir }: Place, { text }: Step): Promise<void> {
  const cwd = join(root, workdir)
  await mkdir(cwd, { recursive: true })
  const path = [dirname(process.execPath), process.env['PATH']].join(':')
  await run('/bin/sh', ['-c', text], { cwd, env: { ...process.env, NODE_OPTIONS: '', PATH: path } })
}
