// Runs the command within the test's own process, without starting a Node for each run. Input, output and exit code are
// as with bin/weir.js.
import { Readable, Writable } from 'node:stream'
import { run } from '../../src/program.ts'
import { createTerminal } from '../../src/terminal/terminal.ts'

export type Command = {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly input: string
}

export async function runHere({ args, cwd, env, input }: Command) {
  const [stdout, stderr] = [collected(), collected()]
  const code = await run(
    createTerminal(
      {
        env,
        cwd: () => cwd,
        stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
        stdout: stdout.stream,
        stderr: stderr.stream,
        on: () => undefined,
      },
      '/nonexistent/tty',
    ),
    args,
  )
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collected() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}
