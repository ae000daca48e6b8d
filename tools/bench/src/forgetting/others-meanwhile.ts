// How the erasure of a data subject with very many pseudonyms affects another account: the response times of its token,
// event and management requests before and during the erasure.
import { pollUntil } from '@weir/kit'
import { createCalmAccount, expectStatus, lanes, makeCrowd } from '@weir/testkit'
import type { TenantCrowd, World } from '@weir/testkit'
import { rssMb } from '../processes.ts'
import { timesOf } from '../results.ts'
import type { Result } from '../results.ts'

const beforeMs = 10_000
const erasedWithinMs = 600_000

export async function benchOthersMeanwhile(
  world: World,
  { pseudonyms, log }: { pseudonyms: number; log: (line: string) => void },
): Promise<Result[]> {
  const crowded = await makeCrowd(world, pseudonyms)
  const others = await createCalmAccount(world)
  try {
    const before = await others.askUntil(new Promise((resolve) => setTimeout(resolve, beforeMs)))
    const startedAt = performance.now()
    const meanwhile = await others.askUntil(eraseAll(crowded))
    const seconds = (performance.now() - startedAt) / 1_000
    log(`${pseudonyms} pseudonyms of one subject were erased in ${seconds.toFixed(1)} s`)
    const [failure] = [...before.failures, ...meanwhile.failures]
    if (failure !== undefined) throw new Error(failure)
    return lanes.flatMap((lane) => [
      timesOf(`others-${lane}-before`, before.times[lane], rssMb(world.auth.pid)),
      timesOf(`others-${lane}-meanwhile`, meanwhile.times[lane], rssMb(world.auth.pid)),
    ])
  } finally {
    others.close()
  }
}

async function eraseAll({ account, subject, erasures }: TenantCrowd): Promise<void> {
  expectStatus(await account.call('POST', erasures, { subject }), 201)
  const isApplied = async (): Promise<boolean> =>
    !(await account.call('GET', erasures)).text.includes('"state":"accepted"')
  await pollUntil(isApplied, { deadlineMs: erasedWithinMs, everyMs: 500 })
}
