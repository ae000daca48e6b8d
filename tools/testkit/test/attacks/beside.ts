// Measures a well-behaved account before and during the attack of another account.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { CalmAsked, World } from '../../src/index.ts'
import type { CalmOrder } from './calm.ts'
import type { Attack } from './hostile-tenants.ts'

export type Beside = {
  readonly before: CalmAsked
  readonly meanwhile: CalmAsked
  /** The number of responses to the attacker, by status. */
  readonly answers: ReadonlyMap<number | 'none', number>
}

export async function besideOf(
  world: World,
  attack: Attack,
  { beforeMs, attackMs }: { beforeMs: number; attackMs: number },
): Promise<Beside> {
  const calm = await startCalm(world)
  try {
    const act = await attack.prepare(world)
    const before = await calm.ask(beforeMs)
    const answers = new Map<number | 'none', number>()
    let isOver = false
    const acting = Array.from({ length: attack.atOnce }, async () => {
      while (!isOver) {
        const { status: how } = await act().catch(() => ({ status: 'none' as const }))
        answers.set(how, (answers.get(how) ?? 0) + 1)
      }
    })
    const meanwhile = await calm.ask(attackMs)
    isOver = true
    await Promise.all(acting)
    return { before, meanwhile, answers }
  } finally {
    calm.stop()
  }
}

async function startCalm({ auth, ingest, output }: World) {
  const child = fork(join(import.meta.dirname, 'calm.ts'))
  const ended = once(child, 'exit').then(() => ({ error: 'the calm account has ended' }))
  const tell = async <Answer>(order: CalmOrder): Promise<Answer> => {
    const told = once(child, 'message').then(([message]) => message)
    child.send(order)
    const { answer, error } = await Promise.race([told, ended])
    if (error !== undefined) throw new Error(error)
    return answer
  }
  await tell({
    world: { auth: { url: auth.url }, ingest: { url: ingest.url }, output: { url: output.url } },
  })
  return {
    ask: (ms: number) => tell<CalmAsked>({ ms }),
    stop: () => void child.kill('SIGKILL'),
  }
}
