// The errors of this package: of the registry, and of values with an invalid frame.
import { AppError } from '@weir/kit'

export type RegistryErrorCode =
  | 'registry.unavailable'
  | 'registry.not_found'
  | 'registry.incompatible'
  | 'registry.invalid_schema'
  | 'registry.not_framed'

export class RegistryError<
  Code extends RegistryErrorCode = RegistryErrorCode,
> extends AppError<Code> {}
