// The stranger, a separate process. It sends the same request twenty times per second, each on a new connection,
// without waiting for responses, but never more than forty concurrently. After an empty order, it waits for the open
// requests, and reports that it is done.
import { exchange } from '../../src/complexity/exchange.ts'

const everyMs = 50
const openMax = 40

export type Order = { readonly url: string; readonly base64: string } | undefined

let order: Order
let bytes = Buffer.alloc(0)
let open = 0

const sayWhenDone = (): void => {
  if (order === undefined && open === 0) process.send?.('done')
}

process.on('message', (message: { order: Order }) => {
  order = message.order
  bytes = Buffer.from(order?.base64 ?? '', 'base64')
  sayWhenDone()
})
process.on('disconnect', () => process.exit())

setInterval(() => {
  if (order === undefined || open >= openMax) return
  open += 1
  void exchange(order.url, bytes)
    .catch(() => undefined)
    .finally(() => {
      open -= 1
      sayWhenDone()
    })
}, everyMs)
