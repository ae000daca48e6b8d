// Finds programs that ci/prepare.sh has installed in the checkout.

import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '@weir/devstack'

/** Returns the path in .weir/deploy that matches a pattern such as `crds-*`; if several match, the last by name. */
export function installed(pattern: string): string {
  const folder = join(REPOSITORY, '.weir/deploy')
  const [first] = existsSync(folder) ? globSync(pattern, { cwd: folder }).sort().reverse() : []
  if (first === undefined)
    throw new Error(`.weir/deploy has no ${pattern}: run tools/manifests/ci/prepare.sh`)
  return join(folder, first)
}
