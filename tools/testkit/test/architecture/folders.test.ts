// Limits the size of folders and files in `rooms`, so that they are easy to read.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

const filesMax = 20
const linesMax = 300
const rooms = ['packages', 'services', 'clients', 'tools']
const code = ['.ts', '.tsx', '.js', '.css', '.html', '.py', '.sh', '.go', '.java']

const tracked = execFileSync('git', ['ls-files', ...rooms], { cwd: REPOSITORY, encoding: 'utf8' })
const files = tracked.trim().split('\n')

test(`no code folder has more than ${filesMax} files`, () => {
  const folders = Map.groupBy(files, dirname)
  expect(folders.size).toBeGreaterThan(100)

  const crowded = [...folders].filter(([, inside]) => inside.length > filesMax)

  expect(crowded.map(([folder, inside]) => `${folder}: ${inside.length}`)).toEqual([])
})

test(`no file of code has more than ${linesMax} lines`, () => {
  const read = files.filter((file) => code.includes(extname(file)))
  expect(read.length).toBeGreaterThan(1_000)

  const long = read.flatMap((file) => {
    const lines = readFileSync(join(REPOSITORY, file), 'utf8').split('\n').length - 1
    return lines > linesMax ? [`${file}: ${lines}`] : []
  })

  expect(long).toEqual([])
})
