export { listenHttp, type ListenOptions } from './listen-http.ts'
export { listenNode, type ListenNodeOptions } from './listen-node.ts'
export { createNodeServer, type NodeServerOptions } from './node-server.ts'
export type { Handler, HttpRequest, HttpResponse, Listener, Tls } from './types.ts'
