// The errors of this package: a body is no event of its contract, or a pattern could not be checked.
import { AppError } from '@weir/kit'

export type ContractsErrorCode = 'contracts.undecodable' | 'contracts.unavailable'

export class ContractsError<
  Code extends ContractsErrorCode = ContractsErrorCode,
> extends AppError<Code> {}
