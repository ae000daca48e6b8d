export { answerSchemasOf, jsonSchemaOf, levelRules } from './api-schemas.ts'
export { count, level, listOf, string, time } from './api-schemas.ts'
export { answering, callerOf, tellingRefusals } from './callers.ts'
export type {
  AccountCall,
  AccountHandler,
  CallBy,
  Caller,
  HandlerBy,
  RefusedCall,
} from './callers.ts'
export { showApi, showOpenApi, showStyle } from './documents.ts'
export type { Documented } from './documents.ts'
export { createErrors, problemAnswer } from './errors.ts'
export type { ErrorRow, Errors } from './errors.ts'
export type { RouteAnswer, Call, ErrorForm, RouteHandler } from './express/answer.ts'
export type { WrongSecret } from './express/answer-errors.ts'
export { answerRest, createExpress } from './express/app.ts'
export { countAnswers } from './express/count-answers.ts'
export { errorsUnder, mount } from './express/mount.ts'
export { shareWith } from './express/share-with.ts'
export type { StreamedBody, Write } from './express/stream-body.ts'
export { lookUp, lookUpByInput, lookUpInput, lookUpOutput } from './look-up.ts'
export { listPage, pageEntries } from './pages.ts'
export { bodyRule, checkBody, readJson, readOptionalJson } from './read-json.ts'
export { invalid, Refusal } from './refusal.ts'
export type { Refuse } from './refusal.ts'
export { needsIn } from './route-needs.ts'
