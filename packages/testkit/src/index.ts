// What tests of this repository share. Never imported by production code.
export {
  documentedRefusals,
  documentedSettings,
  readDocument,
  rowsUnder,
  settingsOf,
} from './docs.ts'
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
export { listen, type TestListener } from './world/listener.ts'
export { counterOf } from './world/metrics.ts'
export { connectProducer, type Answer, type Producer, type SendOptions } from './world/producer.ts'
export { kafkaBrokers, setting, startWorld, type ServiceEnv, type World } from './world/services.ts'
export {
  compiledContract,
  compiledExample,
  createTopicReader,
  plainEvent,
  type TopicReader,
} from './world/topic.ts'
