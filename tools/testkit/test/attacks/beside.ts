// A calm account beside a hostile one: how long it waits for its answers before the attack and meanwhile, in one run.
import { createCalmAccount } from '../../src/index.ts'
import type { Asked, World } from '../../src/index.ts'
import type { Attack } from './hostile-tenants.ts'

export type Beside = {
  readonly before: Asked
  readonly meanwhile: Asked
  /** How often the attacker was answered with which status. */
  readonly answers: ReadonlyMap<number | 'none', number>
}

export async function besideOf(
  world: World,
  attack: Attack,
  { beforeMs, attackMs }: { beforeMs: number; attackMs: number },
): Promise<Beside> {
  const calm = await createCalmAccount(world)
  try {
    const act = await attack.prepare(world)
    const before = await calm.askUntil(after(beforeMs))
    const answers = new Map<number | 'none', number>()
    let isOver = false
    const acting = Array.from({ length: attack.atOnce }, async () => {
      while (!isOver) {
        const { status: how } = await act().catch(() => ({ status: 'none' as const }))
        answers.set(how, (answers.get(how) ?? 0) + 1)
      }
    })
    const meanwhile = await calm.askUntil(after(attackMs))
    isOver = true
    await Promise.all(acting)
    return { before, meanwhile, answers }
  } finally {
    calm.close()
  }
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
