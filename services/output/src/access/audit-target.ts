// Names a stream in entries of the audit log.
import type { StreamRecord } from '@weir/control-state'

export const targetOf = (stream: StreamRecord) =>
  stream.kind === 'input'
    ? { account: stream.billingId, stream: stream.name }
    : { account: stream.billingId, stream: stream.linkedStream, output: stream.name }
