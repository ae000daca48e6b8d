// Runs the well-behaved account in a separate process, so that the attacker's own work doesn't delay its requests. The
// first order contains the services' addresses. Each further order says for how many milliseconds to send requests.
// Then the process reports the results.
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
