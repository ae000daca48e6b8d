// The variables, mounts and ports that a rendered Deployment gives its pods.

import { at, objectAt, objectsOf, manifestTextAt } from '../json.ts'
import type { Json } from '../json.ts'
import { nameOf, ofKind } from './render.ts'

export const podOf = (workload: Json): Json => objectAt(workload, 'spec', 'template', 'spec')
export const containersOf = (workload: Json): Json[] => objectsOf(podOf(workload)['containers'])

/** Returns the variables of a workload's first container. `env` overrides ConfigMaps, as in Kubernetes. */
export function environmentOf(objects: readonly Json[], workload: Json): Record<string, string> {
  const [container] = containersOf(workload)
  const env: Record<string, string> = {}
  for (const source of objectsOf(at(container, 'envFrom'))) {
    const name = manifestTextAt(source, 'configMapRef', 'name')
    const map = ofKind(objects, 'ConfigMap').find((each) => nameOf(each) === name)
    if (map === undefined) throw new Error(`${nameOf(workload)} asks for a ConfigMap ${name}`)
    for (const key of Object.keys(objectAt(map, 'data')))
      env[key] = manifestTextAt(map, 'data', key)
  }
  for (const variable of objectsOf(at(container, 'env'))) {
    const isGiven = 'value' in variable
    env[manifestTextAt(variable, 'name')] = isGiven
      ? manifestTextAt(variable, 'value')
      : 'from elsewhere'
  }
  return env
}

/** Each file that a variable names must be below one of these mount paths. */
export const mountsOf = (workload: Json): string[] =>
  objectsOf(at(containersOf(workload)[0], 'volumeMounts')).map((mount) =>
    manifestTextAt(mount, 'mountPath'),
  )

export function deployment(objects: readonly Json[], name: string): Json {
  const found = ofKind(objects, 'Deployment').find((each) => nameOf(each) === name)
  if (found === undefined) throw new Error(`there is no Deployment ${name}`)
  return found
}

export function portNamed(workload: Json, name: string): number {
  const ports = containersOf(workload).flatMap((container) => objectsOf(container['ports']))
  return Number(
    manifestTextAt(
      ports.find((port) => port['name'] === name),
      'containerPort',
    ),
  )
}
