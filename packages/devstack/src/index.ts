export { createPrivate, makeKekFile, makePlatformKey } from './secrets.ts'
export { startService, type Service, type ServiceName, type ServiceOptions } from './services.ts'
export { startStack, type Stack, type StackOptions } from './stack.ts'
export { onStopWish } from './stop-wish.ts'
