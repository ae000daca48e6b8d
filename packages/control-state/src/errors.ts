// The errors of this package: what isn't there or is taken, who may not call, and what of keys can't be reached.
import { AppError } from '@weir/kit'

/** What a request may end with for reasons of its own; services tell clients of these. */
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
  | 'control-state.kek_not_at_hand'
  | 'control-state.kek_unsaid'
  | 'control-state.kms_refused'
  | 'control-state.kms_unavailable'
  | 'control-state.record_malformed'
  | 'control-state.record_not_known'

export class ControlStateError<
  Code extends ControlStateErrorCode = ControlStateErrorCode,
> extends AppError<Code> {}
