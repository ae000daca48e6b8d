// The calm account in a process of its own: what an attack costs the attacker's process is no time that others wait.
// It is told where the services are, then for how many milliseconds to ask, and answers each time.
import { createCalmAccount } from '../../src/index.ts'
import type { CalmAccount, CalmWorld } from '../../src/index.ts'

export type CalmOrder = { readonly world: CalmWorld } | { readonly ms: number }

let calm: CalmAccount | undefined

async function obey(order: CalmOrder): Promise<unknown> {
  if ('ms' in order) return calm?.askUntil(new Promise((resolve) => setTimeout(resolve, order.ms)))
  calm = await createCalmAccount(order.world)
  return 'ready'
}

process.on('message', (order: CalmOrder) => {
  obey(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
