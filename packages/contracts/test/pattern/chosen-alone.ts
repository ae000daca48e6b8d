// The engines of patterns, each as if it were the only one of its account: the time that an account has for all its
// patterns together is not what these tests are about, and a busy machine exceeds it.
import { chooseEngines } from '../../src/pattern/engine.ts'
import type { EngineChoice } from '../../src/pattern/engine.ts'

export async function chosenAlone(sources: readonly string[]): Promise<EngineChoice[]> {
  const choices: EngineChoice[] = []
  for (const [nth, source] of sources.entries())
    choices.push(...(await chooseEngines([source], `account-${nth}`)))
  return choices
}
