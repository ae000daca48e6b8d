// Runs the commands of a Markdown page as its reader would: every ```sh block in one shell, in order. Callers compare
// the output with the ```text block after each. Values that differ from run to run (ids, secrets, encrypted fields,
// times) are compared only by their form.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { pollUntil } from '@weir/kit'

export type WalkBlock = { commands: string; output: string | undefined }

/** Returns the blocks between a heading and the next heading of level 2. */
export function blocksOf(markdown: string, heading: string): WalkBlock[] {
  const start = markdown.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`there is no heading «${heading}»`)
  const end = markdown.indexOf('\n## ', start + heading.length)
  return shBlocksOf(markdown.slice(start, end === -1 ? undefined : end))
}

export function shBlocksOf(markdown: string): WalkBlock[] {
  const fences = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)
  const blocks: WalkBlock[] = []
  for (const [, info = '', text = ''] of fences) {
    const last = blocks.at(-1)
    if (info === 'sh') blocks.push({ commands: text, output: undefined })
    else if (info === 'text' && last !== undefined) last.output = text
  }
  return blocks
}

export type WalkShell = {
  /** Resolves with the output after the commands' end, once `isDone` accepts it, or after the time-out. */
  run(commands: string, isDone?: (output: string) => boolean): Promise<string>
  close(): void
}

/** One bash for all blocks, so that variables and background jobs persist. */
export function openShell(options: {
  cwd: string
  env: NodeJS.ProcessEnv
  blockMs: number
}): WalkShell {
  const shell = spawn('bash', ['--noprofile', '--norc'], { ...options, detached: true })
  let printed = ''
  let blocks = 0
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  }
  return {
    async run(commands, isDone = () => true) {
      blocks += 1
      const marker = `-- block ${blocks} ended --\n`
      printed = ''
      shell.stdin.write(`${commands}\necho '${marker.trim()}'\n`)
      const seen = () => printed.replace(marker, '')
      const isOver = () => printed.includes(marker) && isDone(seen())
      // On a time-out, the comparison of the output gives a better error.
      await pollUntil(isOver, { deadlineMs: options.blockMs }).catch(() => undefined)
      return seen()
    },
    close: () => endGroup(shell.pid),
  }
}

/** What bash prints about background jobs, and npx while it searches a command. */
const ofTheTerminal = /^\[\d+\][+-]? +(?:\d+|Done .*)$|[\u2800-\u28ff]/gm

/**
 * Pastes all blocks into a terminal, as a person does, without waiting for their commands. Returns the output of each
 * block. There are fewer outputs if a block consumed the following text, or didn't end in time.
 */
export async function pasteIntoTerminal(
  blocks: readonly string[],
  { blockMs, ...options }: { cwd: string; env: NodeJS.ProcessEnv; blockMs: number },
): Promise<string[]> {
  const terminal = spawn('python3', [join(import.meta.dirname, 'walk-terminal.py')], {
    ...options,
    detached: true,
  })
  let shown = ''
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (shown += text))
  const markers = blocks.map((_, index) => `-- block ${index + 1} ended --`)
  // The marker is in two parts, so that an echo of the command doesn't contain the whole marker.
  for (const [index, block] of blocks.entries())
    terminal.stdin.write(`${block}\necho '-- block' '${index + 1} ended --'\n`)
  const isOver = () => shown.includes(markers.at(-1) ?? '')
  const deadlineMs = blockMs * blocks.length
  await pollUntil(isOver, { deadlineMs, everyMs: 100 }).catch(() => undefined)
  endGroup(terminal.pid)
  const pieces: string[] = []
  let rest = stripVTControlCharacters(shown).replaceAll('\r', '').replace(ofTheTerminal, '')
  for (const marker of markers) {
    const at = rest.indexOf(`${marker}\n`)
    if (at < 0) break
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at + marker.length + 1)
  }
  return pieces.length === blocks.length ? pieces : [...pieces, rest]
}

/** Ends the process group, including remaining jobs. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // the group has already ended
  }
}

const VARYING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/weir_[\w-]{43}/g, '<api key>'],
  [/(keyId +)[0-9a-f]{12}\b/g, '$1<key id>'],
  [/(?<![\w+/-])A[Q-Za-f][A-Za-z0-9+/]{26,}={0,2}/g, '<sealed>'],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, '<secret>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/("(?:nonce|timestamp|keyLink)": ?)-?\d+/g, '$1<number>'],
  // the length of a random nonce varies with its value
  [/(key <uuid>, )\d+(?= bytes)/g, '$1<number>'],
  [/\b([a-z0-9-]+\.[a-z0-9-]+)\/\d+\/\d+/g, '$1/<place>'],
  [/^(?:date|connection|keep-alive|content-length): .*$/gim, ''],
  [/(demo account of ).*\/\.weir\//g, '$1<folder>/'],
  [/\r/g, ''],
  [/ {2,}/g, ' '], // the width of columns depends on the names in them
  [/[ \t]+$/gm, ''],
]

/** Returns the lines to compare. Their order doesn't matter, because background jobs print at any time. */
export function comparable(output: string): string[] {
  const text = VARYING.reduce((all, [form, name]) => all.replace(form, name), output)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort()
}
