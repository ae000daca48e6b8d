// Shared support for the tests of this repository. Production code never imports it.
export type { FuzzTarget } from './fuzz/target.ts'
export { parserGrowth } from './complexity/parser-growth.ts'
export type { ParserCase } from './complexity/parser-growth.ts'
export { seededNumbers } from './random.ts'
export { inSoak, measured, scale, within } from './scale.ts'
export {
  account,
  asObject,
  signUp,
  exampleContract,
  exampleContracts,
  exampleEvent,
  expectStatus,
  freshName,
  listIn,
  request,
  textIn,
} from './world/account.ts'
export type { Account, Credentials, ExampleContract, Reply, TestStream } from './world/account.ts'
export { openAnalysts } from './analysts/analysts.ts'
export type { Analyst, Analysts, Task } from './analysts/analysts.ts'
export { chromiumProgram, openConsole } from './world/browser.ts'
export type { ConsolePage } from './world/browser.ts'
export { listen } from './world/listener.ts'
export type { TestListener } from './world/listener.ts'
export { peakResidentBytes } from './world/memory.ts'
export { counterOf } from './world/metrics.ts'
export { contractOfFields, madeEvent, newContract } from './world/contracts.ts'
export { createCalmAccount, lanes, medianOf } from './tenants/calm-account.ts'
export { makeCrowd } from './tenants/crowd.ts'
export type { TenantCrowd } from './tenants/crowd.ts'
export type { CalmAsked, CalmAccount, CalmWorld, CalmLane } from './tenants/calm-account.ts'
export { connectProducer } from './world/producer.ts'
export type { ProducerAnswer, Producer, SendOptions } from './world/producer.ts'
export { compiledBefore } from './world/run-program.ts'
export {
  freshPrefix,
  kafkaBrokers,
  kekFileOf,
  setting,
  startInputWorld,
  startWorld,
} from './world/services.ts'
export type { InputWorld, ServiceEnv, World } from './world/services.ts'
export { openLoginStack } from './world/login-stack.ts'
export type { LoginStack } from './world/login-stack.ts'
export { joinWorld } from './world/shared.ts'
export type { SharedWorld } from './world/shared.ts'
export { policyFor, startVault, vaultProgram } from './world/vault.ts'
export type { Vault } from './world/vault.ts'
export { clockShiftedBy, clockShiftPreload } from './world/shifted-clock.ts'
export {
  foreignPaths,
  makeTenants,
  namesIn,
  tenantsContract,
  withoutNames,
} from './tenants/two-tenants.ts'
export type { TenantNames, Tenants } from './tenants/two-tenants.ts'
export { compiledContract, compiledExample, createTopicReader, plainEvent } from './world/topic.ts'
export type { TopicReader } from './world/topic.ts'
