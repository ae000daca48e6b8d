// Every management operation, once for each version: its input, its responses and its refusals. A test compares the
// paths with those of the router.
import type { Operation } from '@weir/docs'
import { tellAccounts } from './operations/accounts.ts'
import { tellStreams } from './operations/streams.ts'
import { tellOutputs, tellCredentials } from './operations/outputs.ts'
import { tellContracts } from './operations/contracts.ts'
import { tellErasures, tellPeople } from './operations/erasures.ts'
import { tellPlatform } from './operations/platform.ts'
import { createTell } from './tell.ts'

export function managementOperations(version: 'v1' | 'v2'): readonly Operation[] {
  const { operations, tell } = createTell(version)
  const v = version === 'v1' ? 'V1' : 'V2'
  tellAccounts(tell, v)
  tellStreams(tell, v)
  tellOutputs(tell, v)
  tellCredentials(tell)
  tellContracts(tell)
  tellErasures(tell)
  tellPeople(tell)
  tellPlatform(tell)
  return operations
}
