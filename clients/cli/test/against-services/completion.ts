// `weir completion` in real shells, with the current streams.
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { compiledOnce } from '../support/weir.ts'
import type { LookUpGround } from './ground.ts'

const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))

/** Makes each shell print, one per line, how it would complete the words. */
const asking = {
  bash: (words: string) => `
    source <(weir completion bash)
    COMP_WORDS=(${words})
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _weir
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words: string) => `
    compdef() { :; }
    source <(weir completion zsh)
    compadd() { printf '%s\\n' $found; }
    words=(${words})
    CURRENT=$#words
    _weir`,
  fish: (words: string) => `
    weir completion fish | source
    complete -C '${words.replaceAll("''", '')}'`,
} as const

export function completionTests(ground: LookUpGround): void {
  const complete = (shell: keyof typeof asking, words: string): readonly string[] | undefined => {
    const { weir } = ground()
    const script = asking[shell](words)
    const ended = spawnSync(shell, ['-c', script], {
      cwd: weir.folder,
      env: {
        PATH: [weir.folder, process.env['PATH'] ?? ''].join(delimiter),
        HOME: weir.folder,
        WEIR_CONFIG: weir.profile,
        ...compiledOnce,
      },
      encoding: 'utf8',
      timeout: 60_000,
    })
    // tools/testkit/ci/prepare.sh installs the shells. Without it, a shell may be missing.
    if (ended.error !== undefined) throw ended.error
    return ended.stdout.split('\n').filter((line) => line !== '')
  }

  test.each(['bash', 'zsh', 'fish'] as const)(
    '%s completes commands, options, and the names of streams that are there now',
    async (shell) => {
      const { weir } = ground()
      const linked = join(weir.folder, 'weir')
      spawnSync('rm', ['-f', linked])
      symlinkSync(bin, linked)
      await weir.ok(`stream create done-${shell} --save`)
      await weir.ok(`output create done-${shell} done-${shell}-1 --level 1`)
      const [input, output] = [`done-${shell}`, `done-${shell}-1`]
      for (const [words, names] of [
        ['weir str', ['stream']],
        [`weir stream show ${input}`, [input]],
        [`weir output show ${input} ''`, [output]],
        [`weir listen ${input}`, [input, output]],
        ['weir stream delete --rec', ['--recursive']],
      ] as const) {
        // Completion waits at most a second for names. This may be too short on a busy machine.
        const found = async () => isDeepStrictEqual(complete(shell, words), names)
        await pollUntil(found, { deadlineMs: 60_000, what: `${shell} completing ${words}` })
      }
    },
    120_000,
  )
}
