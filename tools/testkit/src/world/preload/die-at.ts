// Loaded into auth before anything else (`--import`). It kills auth with SIGKILL when auth writes a matching record.
// DIE_AT_RECORD is a pattern over «key value» of each record of weir.control. DIE_AT_WHEN says when to die: `before`
// the transaction, `between` two of its chunks, while it is still `open` after all chunks, or `after` its commit.
// Afterwards the file DIE_AT_WITNESS exists, so that a test can distinguish this end from other ends.
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const SOURCE = '/services/auth/src/control/writer.ts'
const COMMIT = `    await producer.transaction(async (tx) => {
      for (const chunk of decided.chunks) await tx.send(chunk)
    })`
const WATCHED = `    const { chunks } = decided
    globalThis.dieAt('before', chunks)
    await producer.transaction(async (tx) => {
      for (const chunk of chunks) {
        await tx.send(chunk)
        if (chunk !== chunks.at(-1)) globalThis.dieAt('between', chunks)
      }
      globalThis.dieAt('open', chunks)
    })
    globalThis.dieAt('after', chunks)`

type Written = { readonly topic: string; readonly key: string; readonly value: Buffer | null }

const record = new RegExp(process.env['DIE_AT_RECORD'] ?? '')
const wanted = process.env['DIE_AT_WHEN']

function dieAt(when: string, chunks: readonly (readonly Written[])[]): void {
  const isIt = ({ topic, key, value }: Written) =>
    topic === 'weir.control' && record.test(`${key} ${value?.toString('utf8') ?? ''}`)
  if (when !== wanted || !chunks.some((chunk) => chunk.some(isIt))) return
  writeFileSync(process.env['DIE_AT_WITNESS'] ?? '', '')
  process.kill(process.pid, 'SIGKILL')
}
Object.assign(globalThis, { dieAt })

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(SOURCE) || loaded.source === undefined || loaded.source === null)
      return loaded
    const source =
      typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
    if (!source.includes(COMMIT)) throw new Error(`${SOURCE} has another way of writing now`)
    return { ...loaded, source: source.replace(COMMIT, WATCHED) }
  },
})
