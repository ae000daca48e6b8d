// The errors of this package: a body is not an event of its contract, or patterns could not be checked in time.
import { AppError } from '@weir/kit'

export type ContractsErrorCode = 'contracts.undecodable' | 'contracts.unavailable'

export class ContractsError<
  Code extends ContractsErrorCode = ContractsErrorCode,
> extends AppError<Code> {}
