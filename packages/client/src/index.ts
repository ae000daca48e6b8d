// Weir's driver for Node: what a program needs to send events to an input stream, and to watch a stream. It speaks HTTP/2
// and WebSocket as docs/wire-format.md says, and imports nothing of the rest of this repository.
export { createProducer, type Producer } from './sending/producer.ts'
export type { ProducerOptions, Retry } from './sending/options.ts'
export { loadContract, type Contract, type LoadContractOptions } from './contract.ts'
export {
  RejectedError,
  UndeliveredError,
  type RejectionCode,
  type SendError,
  type UndeliveredCode,
} from './errors.ts'
export {
  createListener,
  type Gap,
  type Listener,
  type ListenerOptions,
} from './listening/listener.ts'
