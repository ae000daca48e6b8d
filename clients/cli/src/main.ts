// Runs the command with the terminal and the arguments of this process. bin/weir.js starts it.
import process from 'node:process'
import { run } from './program.ts'
import { createTerminal } from './terminal/terminal.ts'

// A reader that closes the pipe early (`weir listen x | head -1`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : 1),
)

process.exitCode = await run(createTerminal(process), process.argv.slice(2))
