// Weir's driver for Node: it sends events to an input stream and watches a stream, over HTTP/2 and WebSocket
// (docs/wire-format.md). It imports nothing else of this repository.
export { createProducer } from './sending/producer.ts'
export type { Producer } from './sending/producer.ts'
export type { ProducerOptions, Retry } from './sending/options.ts'
export { loadContract } from './contract.ts'
export type { Contract, LoadContractOptions } from './contract.ts'
export { RejectedError, UndeliveredError } from './errors.ts'
export type { RejectionCode, SendError, UndeliveredCode } from './errors.ts'
export { createListener } from './listening/listener.ts'
export type { Gap } from './listening/keep-connected.ts'
export type { Listener, ListenerOptions } from './listening/listener.ts'
