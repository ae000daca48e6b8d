// The engines of patterns, each as if it were the only one of its account. These tests are not about the time limit for
// all patterns of an account together, which a busy machine exceeds.
import { chooseEngines } from '../../src/pattern/engine.ts'
import type { EngineChoice } from '../../src/pattern/engine.ts'

export async function chosenAlone(sources: readonly string[]): Promise<EngineChoice[]> {
  const choices: EngineChoice[] = []
  for (const [nth, source] of sources.entries())
    choices.push(...(await chooseEngines([source], `account-${nth}`)))
  return choices
}
