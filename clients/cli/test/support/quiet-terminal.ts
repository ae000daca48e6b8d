// A terminal for tests that don't need one: no person, no output, no interrupts.
import type { Terminal } from '../../src/terminal/terminal.ts'

type Quiet = Omit<Terminal, 'env' | 'cwd' | 'input' | 'print' | 'note'>

export const quietTerminal: Quiet = {
  isInteractive: false,
  isShown: false,
  screen: undefined,
  write: () => true,
  drained: () => Promise.resolve(),
  ask: () => undefined,
  askHidden: () => Promise.reject(new Error('nobody is there')),
  keepPrivate: () => undefined,
  onEnd: () => undefined,
}
