// The error codes of this package.
import { AppError } from '@weir/kit'

/** Errors that a request can cause. Services show them to clients. */
export type AccessErrorCode =
  | 'control-state.not_found'
  | 'control-state.name_taken'
  | 'control-state.being_deleted'
  | 'control-state.invalid_api_key'
  | 'control-state.invalid_token'
  | 'control-state.role_missing'
  | 'control-state.unavailable'

export type ControlStateErrorCode =
  | AccessErrorCode
  | 'control-state.kek_file_invalid'
  | 'control-state.kek_not_configured'
  | 'control-state.kek_not_assigned'
  | 'control-state.kms_refused'
  | 'control-state.kms_unavailable'
  | 'control-state.record_malformed'
  | 'control-state.record_not_known'

export class ControlStateError<
  Code extends ControlStateErrorCode = ControlStateErrorCode,
> extends AppError<Code> {}
