// Checks that ingest refuses tokens with deleted credentials.
import type { Violations } from '../check/violations.ts'
import type { Kind } from '../events.ts'
import type { Ledger } from '../ledger.ts'
import type { Fleet } from '../world/fleet.ts'
import { slotsOf } from '../world/slots.ts'
import type { TortureStreams } from '../streams.ts'
import type { StreamTokens } from '../world/tokens.ts'
import { eventOutcomeOf, eventRequestOf } from './requests.ts'
import { createSender } from './sender.ts'

type Deps = {
  world: { fleet: Pick<Fleet, 'find'>; tokens: StreamTokens; streams: TortureStreams }
  kinds: readonly Kind[]
  ledger: Ledger
  violations: Violations
}

export async function expectDead({ world, kinds, ledger, violations }: Deps): Promise<void> {
  const { fleet, tokens, streams } = world
  const [kind] = kinds
  const [stream] = streams.inputs
  if (kind === undefined || stream === undefined) return
  for (const slot of slotsOf('ingest')) {
    const sender = createSender(() => fleet.find(slot)?.url)
    for (const token of tokens.buried()) {
      const person = 'nobody of nowhere'
      const event = ledger.open({ kind, stream: stream.name, person, consentLevels: [] })
      const answer = await sender.send(eventRequestOf(event, token, 'json'))
      event.outcome = eventOutcomeOf(answer)
      if (answer?.status !== 401)
        violations.add('token-alive', slot, `a token of deleted credentials got ${answer?.status}`)
    }
    sender.close()
  }
}
