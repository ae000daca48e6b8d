// What a test's terminal does where the test doesn't care: nobody sits there, nothing is drawn, nothing ends it.
import type { Terminal } from '../../src/terminal/terminal.ts'

type Quiet = Omit<Terminal, 'env' | 'cwd' | 'input' | 'print' | 'note'>

export const quietTerminal: Quiet = {
  isInteractive: false,
  isShown: false,
  screen: undefined,
  write: () => true,
  drained: () => Promise.resolve(),
  ask: () => Promise.reject(new Error('nobody is there')),
  askHidden: () => Promise.reject(new Error('nobody is there')),
  onInterrupt: () => undefined,
  onEnd: () => undefined,
}
