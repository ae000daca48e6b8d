// Chooses engines for patterns, each as if it were the only pattern of its account. So the time limit for all patterns
// of a contract, which a busy machine exceeds, does not affect the tests.
import { chooseEngines } from '../../src/pattern/engine.ts'
import type { EngineChoice } from '../../src/pattern/engine.ts'

export async function chosenAlone(sources: readonly string[]): Promise<EngineChoice[]> {
  const choices: EngineChoice[] = []
  for (const [nth, source] of sources.entries())
    choices.push(...(await chooseEngines([source], `account-${nth}`)))
  return choices
}
