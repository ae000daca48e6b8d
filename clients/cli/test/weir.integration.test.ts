// The command with running services. All files in against-services/ share one set of services and one account, and
// create the streams they need.
import { afterAll, beforeAll, describe } from '@jest/globals'
import { accountTests } from './against-services/account.ts'
import { apiKeyTests } from './against-services/api-key.ts'
import { auditTests } from './against-services/audit.ts'
import { completionTests } from './against-services/completion.ts'
import { contractTests, purposeTests } from './against-services/contract.ts'
import { credentialsTests } from './against-services/credentials.ts'
import { dataSubjectTests } from './against-services/data-subject.ts'
import { deadTests } from './against-services/dead.ts'
import { doctorTests } from './against-services/doctor.ts'
import { personTests } from './against-services/person.ts'
import { erasureTests } from './against-services/erasure.ts'
import { eventTests } from './against-services/events.ts'
import { keyAloneTests } from './against-services/key-alone.ts'
import { prepareGround } from './against-services/ground.ts'
import type { Ground } from './against-services/ground.ts'
import { outageTests } from './against-services/outage.ts'
import { programTests } from './against-services/programs.ts'
import { simulateTests } from './against-services/simulate.ts'
import { streamTests } from './against-services/stream.ts'
import { usageTests } from './against-services/usage.ts'

let prepared: Ground | undefined
const ground = (): Ground => {
  if (prepared === undefined) throw new Error('the services did not start')
  return prepared
}

beforeAll(async () => {
  prepared = await prepareGround()
})

afterAll(async () => {
  await prepared?.world.stop()
})

describe('weir account', () => {
  accountTests(ground)
})
describe('weir contract', () => {
  contractTests(ground)
})
describe('weir purpose', () => {
  purposeTests(ground)
})
describe('weir stream and weir output', () => {
  streamTests(ground)
})
describe('weir output preview and dead', () => {
  deadTests(ground)
})
describe('weir send, listen and token', () => {
  eventTests(ground)
})
describe('weir simulate', () => {
  simulateTests(ground)
})
describe('weir with an API key alone', () => {
  keyAloneTests(ground)
})
describe('weir credentials', () => {
  credentialsTests(ground)
})
describe('weir subject and weir erasure', () => {
  erasureTests(ground)
})
describe('weir usage', () => {
  usageTests(ground)
})
describe('weir api-key', () => {
  apiKeyTests(ground)
})

describe('weir audit', () => {
  auditTests(ground)
})
describe('weir subject with a data subject', () => {
  dataSubjectTests(ground)
})
describe('weir person', () => {
  personTests(ground)
})
describe('weir doctor', () => {
  doctorTests(ground)
})
describe('weir completion', () => {
  completionTests(ground)
})
describe('weir for programs', () => {
  programTests(ground)
})
describe('weir without its services', () => {
  outageTests(ground)
})
