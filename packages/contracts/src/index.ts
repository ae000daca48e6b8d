export { ContractsError } from './errors.ts'
export type { ContractsErrorCode } from './errors.ts'
// The public interface of this package: checks and compiles contracts, and reads, checks and writes events by them. No
// I/O, but checking patterns starts a worker thread.
export { guessedForm, namedForm } from './body-form.ts'
export type { BodyForm, FormHeaders } from './body-form.ts'
export { isContractId, parseSchemaRef } from './contract-ids.ts'
export type { SchemaRef } from './contract-ids.ts'
export { compileContract } from './contract.ts'
export { consentLevelsOf, invalidConsentLevel, levelMax, timestampOf } from './envelope.ts'
export type { Stamp } from './envelope.ts'
export { eventTimeOf, timeHeader, writeTime } from './event-time.ts'
export { definitionText, prepareContract } from './prepare.ts'
export type { Preparation } from './prepare.ts'
export type {
  Contract,
  ContractDefinition,
  Engine,
  Event,
  EventCodec,
  EventFields,
  EventIntake,
  PreparedContract,
  Validation,
} from './types.ts'
export { contractWarnings } from './warnings.ts'
