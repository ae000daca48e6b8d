// Finding a sufficiently new Java, in folders that only imitate JDKs.

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { findJdk } from '../../src/programs/jdk.ts'
import { inTemporaryFolder } from '../fixtures/temporary.ts'

async function fakeJdk(home: string, version: string, kind: 'release' | 'java' = 'release') {
  const java = join(home, 'bin', 'java')
  await mkdir(join(home, 'bin'), { recursive: true })
  await writeFile(java, `#!/bin/sh\necho 'openjdk version "${version}"' >&2\n`)
  await chmod(java, 0o755)
  if (kind === 'release') await writeFile(join(home, 'release'), `JAVA_VERSION="${version}"\n`)
  return home
}

test('JAVA_HOME comes before the PATH, and the PATH before the usual folders', () =>
  inTemporaryFolder(async (folder) => {
    const home = await fakeJdk(join(folder, 'home'), '21.0.2')
    const onPath = await fakeJdk(join(folder, 'path'), '22')
    await fakeJdk(join(folder, 'jvm', 'newest'), '25.0.1')
    const folders = [join(folder, 'jvm', '*')]
    const path = ['/nowhere', join(onPath, 'bin')].join(':')

    const both = await findJdk({ env: { JAVA_HOME: home, PATH: path }, folders })
    const pathOnly = await findJdk({ env: { PATH: path }, folders })
    const neither = await findJdk({ env: {}, folders })

    expect(both).toEqual({ home, java: join(home, 'bin', 'java'), major: 21 })
    expect(pathOnly).toMatchObject({ home: onPath, major: 22 })
    expect(neither).toMatchObject({ home: join(folder, 'jvm', 'newest'), major: 25 })
  }))

test('one that is too old is passed over, wherever it stands', () =>
  inTemporaryFolder(async (folder) => {
    const old = await fakeJdk(join(folder, 'old'), '17.0.15')
    await fakeJdk(join(folder, 'jvm', 'jdk8'), '1.8.0_402')
    const good = await fakeJdk(join(folder, 'jvm', 'jdk21'), '21')

    const found = await findJdk({
      env: { JAVA_HOME: old, PATH: join(old, 'bin') },
      folders: [join(folder, 'jvm', '*')],
    })

    expect(found.home).toBe(good)
  }))

test('a link on the PATH leads to its JDK, and a JDK without a release file tells its version', () =>
  inTemporaryFolder(async (folder) => {
    const home = await fakeJdk(join(folder, 'jdk'), '23.0.1', 'java')
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await symlink(join(home, 'bin', 'java'), join(bin, 'java'))

    const found = await findJdk({ env: { PATH: bin }, folders: [] })

    expect(found).toMatchObject({ home, major: 23 })
  }))

test('without one the error says what to install and which version there is', () =>
  inTemporaryFolder(async (folder) => {
    await fakeJdk(join(folder, 'jdk17'), '17.0.15')
    const places = { env: {}, folders: [join(folder, 'jdk*')] }

    await expect(findJdk(places)).rejects.toMatchObject({
      code: 'no_jdk',
      message: expect.stringContaining('21 or newer; the newest found is Java 17. Install one'),
    })
    await expect(findJdk({ env: {}, folders: [] })).rejects.toMatchObject({
      message: expect.stringContaining('none was found'),
    })
  }))
