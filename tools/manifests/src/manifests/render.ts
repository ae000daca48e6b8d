// Renders kustomizations as `kubectl apply -k` would, without a cluster.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

import { parse, stringify } from 'yaml'

import { isJson, manifestTextAt } from '../json.ts'
import type { Json } from '../json.ts'
import { REPOSITORY } from '@weir/devstack'
import { installed } from '../repository.ts'

const run = promisify(execFile)

/** In the order for combinations, because later components change the objects of earlier components. */
export const COMPONENTS = [
  'registry',
  'strimzi',
  'ingress',
  'tls',
  'backend-tls',
  'monitoring',
  'keda',
  'vault',
  'traces',
  'openshift',
] as const
export type Component = (typeof COMPONENTS)[number]
const APART: readonly Component[] = ['vault', 'traces', 'openshift']

export async function render(folder: string): Promise<Json[]> {
  return documentsIn(await kustomize(folder)).map(objectIn)
}

export async function renderAll(sets: readonly (readonly Component[])[]): Promise<Json[][]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'weir-k8s-')))
  const rendered: Json[][] = []
  const waiting = [...sets.entries()]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, components] = next
      rendered[index] = await renderSet(join(folder, String(index)), components)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return rendered
  } finally {
    await rm(folder, { recursive: true })
  }
}

const AT_ONCE = 4

async function renderSet(here: string, components: readonly Component[]): Promise<Json[]> {
  const pathOf = (name: string) => relative(here, join(REPOSITORY, 'k8s', name))
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [pathOf('base')],
    components: components.map((name) => pathOf(`components/${name}`)),
  }
  await mkdir(here)
  await writeFile(join(here, 'kustomization.yaml'), stringify(kustomization))
  return render(here)
}

async function kustomize(folder: string): Promise<string> {
  const options = { maxBuffer: 256 * 1024 * 1024 }
  return (await run(installed('kustomize/kustomize'), [folder], options)).stdout
}

const documentsIn = (text: string): string[] => text.split(/^---$/m)

const read = new Map<string, Json>()

/** Parses an object. Caches objects by their text, because most sets of components have most objects in common. */
function objectIn(text: string): Json {
  const known = read.get(text)
  if (known !== undefined) return known
  const object: unknown = parse(text)
  if (!isJson(object)) throw new Error('kustomize printed something that is no object')
  read.set(text, object)
  return object
}

/**
 * Returns every meaningful set of components. backend-tls needs ingress and tls. The components in APART are
 * independent, so they are tried only alone and with all others.
 */
export function everyCombination(): Component[][] {
  const all = COMPONENTS.reduce<Component[][]>(
    (sets, component) => [...sets, ...sets.map((set) => [...set, component])],
    [[]],
  )
  const makesSense = (set: readonly Component[]) =>
    (!set.includes('backend-tls') || (set.includes('ingress') && set.includes('tls'))) &&
    (!set.some((name) => APART.includes(name)) ||
      set.length === 1 ||
      set.length === COMPONENTS.length)
  return all.filter(makesSense)
}

export const kindOf = (object: Json): string => manifestTextAt(object, 'kind')
export const nameOf = (object: Json): string => manifestTextAt(object, 'metadata', 'name')

export const ofKind = (objects: readonly Json[], kind: string): Json[] =>
  objects.filter((object) => kindOf(object) === kind)
