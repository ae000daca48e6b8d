export { ContractsError } from './errors.ts'
export type { ContractsErrorCode } from './errors.ts'
// What an event is, and whether it is valid: contracts, their checks, and reading and writing events by them. Pure
// functions of their arguments, except that checking patterns starts a worker thread.
export { plainOf, readEventSchema } from './avro/event-schema.ts'
export type { EventSchema } from './avro/event-schema.ts'
export { nullableOf } from './avro/types.ts'
export type { AvroType, RecordType } from './avro/types.ts'
export { isBranch, isFields } from './avro/values.ts'
export { guessedForm, namedForm } from './body-form.ts'
export type { BodyForm, FormHeaders } from './body-form.ts'
export { isContractId, parseSchemaRef } from './contract-ids.ts'
export type { SchemaRef } from './contract-ids.ts'
export { compileContract } from './contract.ts'
export {
  consentLevelsOf,
  envelopeName,
  invalidConsentLevel,
  levelMax,
  timestampOf,
} from './envelope.ts'
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
