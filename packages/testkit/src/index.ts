// What tests of this repository share. Never imported by production code.
export type { FuzzTarget } from './fuzz/target.ts'
export { parserGrowth, type ParserCase } from './complexity/parser-growth.ts'
export { documentedRefusals, readDocument, rowsUnder } from './docs.ts'
export {
  account,
  asObject,
  createAccount,
  exampleContract,
  exampleContracts,
  exampleEvent,
  expectStatus,
  freshName,
  request,
  textIn,
} from './world/account.ts'
export type { Account, ExampleContract, Reply, TestStream } from './world/account.ts'
export { openAnalysts, type Analyst, type Analysts, type Task } from './world/analysts.ts'
export { chromiumProgram, openConsole, type ConsolePage } from './world/browser.ts'
export { listen, type TestListener } from './world/listener.ts'
export { counterOf } from './world/metrics.ts'
export { connectProducer, type Answer, type Producer, type SendOptions } from './world/producer.ts'
export {
  kafkaBrokers,
  kekFileOf,
  setting,
  startWorld,
  type ServiceEnv,
  type World,
} from './world/services.ts'
export { policyFor, startVault, vaultProgram, type Vault } from './world/vault.ts'
export { clockShiftedBy } from './world/shifted-clock.ts'
export {
  foreignPaths,
  makeTenants,
  namesIn,
  tenantsContract,
  withoutNames,
  type Names,
  type Tenants,
} from './world/tenants.ts'
export {
  compiledContract,
  compiledExample,
  createTopicReader,
  plainEvent,
  type TopicReader,
} from './world/topic.ts'
