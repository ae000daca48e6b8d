// A folder is a room that is seen at a glance. Lists of pages may be long, and the root has what tools look for there.
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const filesMax = 20
const rooms = ['packages', 'services', 'clients', 'tools']

test(`no code folder has more than ${filesMax} files`, () => {
  const tracked = execFileSync('git', ['ls-files', ...rooms], { cwd: REPOSITORY, encoding: 'utf8' })
  const folders = Map.groupBy(tracked.trim().split('\n'), dirname)
  expect(folders.size).toBeGreaterThan(100)

  const crowded = [...folders].filter(([, files]) => files.length > filesMax)

  expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
})
