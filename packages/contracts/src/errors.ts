// The errors of this package: a body that is no event of its contract, and a pattern that could not be checked.
import { AppError } from '@weir/kit'

export type ContractsErrorCode = 'contracts.undecodable' | 'contracts.unavailable'

export class ContractsError<
  Code extends ContractsErrorCode = ContractsErrorCode,
> extends AppError<Code> {}
