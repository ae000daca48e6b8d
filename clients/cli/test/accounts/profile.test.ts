import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import {
  defaultAddresses,
  profilePath,
  readProfile,
  updateProfile,
} from '../../src/accounts/profile.ts'
import type { Profile } from '../../src/accounts/profile.ts'
import { temporaryFolder } from '../support/temporary.ts'

const withStream =
  (name: string) =>
  (profile: Profile): Profile => {
    const before = profile.accounts.get('acme')
    const streams = new Map(before?.streams).set(name, { clientId: name, clientSecret: 's' })
    const account = { ...defaultAddresses, apiKey: 'k', streams }
    return { current: 'acme', accounts: new Map(profile.accounts).set('acme', account) }
  }

const freshPath = (): string => join(temporaryFolder(), '.config', 'weir', 'config.json')

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('a folder that cannot be created is an error', async () => {
  await expect(updateProfile('/proc/nope/deep/x.json', (profile) => profile)).rejects.toThrow(
    "the profile /proc/nope/deep/x.json can't be written: its folder does not exist",
  )
})

describe('where the profile is', () => {
  test('WEIR_CONFIG goes before XDG_CONFIG_HOME, and that before the home folder', () => {
    const env = { HOME: '/home/a', XDG_CONFIG_HOME: '/xdg', WEIR_CONFIG: '/x/weir.json' }
    expect(profilePath(env)).toBe('/x/weir.json')
    expect(profilePath({ ...env, WEIR_CONFIG: '' })).toBe('/xdg/weir/config.json')
    expect(profilePath({ HOME: '/home/a' })).toBe('/home/a/.config/weir/config.json')
  })

  test('a relative XDG_CONFIG_HOME is ignored, as its specification asks', () => {
    expect(profilePath({ HOME: '/home/a', XDG_CONFIG_HOME: 'xdg' })).toBe(
      '/home/a/.config/weir/config.json',
    )
  })
})

describe('the profile', () => {
  test('is empty when there is no file', () => {
    expect(readProfile(freshPath())).toEqual({ current: undefined, accounts: new Map() })
  })

  test('is read as it was written', async () => {
    const path = freshPath()
    await updateProfile(path, withStream('__proto__'))
    await updateProfile(path, withStream('constructor'))
    const account = readProfile(path).accounts.get('acme')
    expect(account?.apiKey).toBe('k')
    expect(Array.from(account?.streams.keys() ?? [])).toEqual(['__proto__', 'constructor'])
  })

  test('is for its owner alone, folder and file', async () => {
    const path = freshPath()
    await updateProfile(path, withStream('clicks'))
    expect(modeOf(path)).toBe(0o600)
    expect(modeOf(dirname(path))).toBe(0o700)
  })

  test('becomes private again at the next change', async () => {
    const path = freshPath()
    await updateProfile(path, withStream('clicks'))
    chmodSync(path, 0o644)
    await updateProfile(path, withStream('views'))
    expect(modeOf(path)).toBe(0o600)
  })

  test('loses nothing when many change it at once, and leaves no other file behind', async () => {
    const path = freshPath()
    const names = Array.from({ length: 20 }, (_, index) => `stream-${index}`)
    await Promise.all(names.map((name) => updateProfile(path, withStream(name))))
    const saved = readProfile(path).accounts.get('acme')?.streams.keys() ?? []
    expect(Array.from(saved).toSorted()).toEqual(names.toSorted())
    expect(readdirSync(dirname(path))).toEqual(['config.json'])
  })

  test('stays as it was, and unlocked, when a change throws', async () => {
    const path = freshPath()
    await updateProfile(path, withStream('clicks'))
    const before = readFileSync(path, 'utf8')
    const change = updateProfile(path, () => {
      throw new Error('no')
    })
    await expect(change).rejects.toThrow('no')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(`${path}.lock`)).toBe(false)
  })

  test('that is a link stays one', async () => {
    const path = freshPath()
    const target = join(temporaryFolder(), 'dotfiles.json')
    writeFileSync(target, '{}')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
    await updateProfile(path, withStream('clicks'))
    expect(readlinkSync(path)).toBe(target)
    expect(readFileSync(target, 'utf8')).toContain('clicks')
  })

  test('that is broken is named, never overwritten, and not quoted', async () => {
    const path = freshPath()
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '{"apiKey": "the-key"')
    expect(() => readProfile(path)).toThrow(`the profile ${path} isn't JSON`)
    const change = updateProfile(path, withStream('clicks'))
    await expect(change).rejects.toThrow(/^(?!.*the-key).*isn't JSON/)
    expect(readFileSync(path, 'utf8')).toContain('the-key')
  })
})
