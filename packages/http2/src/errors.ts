// The only error of this package: the client is gone or was too slow, so nobody receives a response.
import { AppError } from '@weir/kit'

export type Http2ErrorCode = 'http2.aborted'

export class Http2Error extends AppError<Http2ErrorCode> {}
