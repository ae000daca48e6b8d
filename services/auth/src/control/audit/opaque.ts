// Replaces numbers of the audit log for an account. Sequence numbers and offsets count the entries of all accounts, so
// they would reveal the activity of other accounts. The replacement is one AES block under a key of the account, which
// all replicas derive from the platform key. Eight zero bytes in the block show that a value is not forged.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

export type Opaque = {
  of(account: string, number: bigint): string
  /** Returns undefined for text that this account did not get from `of`. */
  numberIn(account: string, text: string): bigint | undefined
}

const algorithm = 'aes-256-ecb'
const blockBytes = 16

export function createOpaque(platformKey: string, what: 'entry' | 'page'): Opaque {
  const keyOf = (account: string): Buffer =>
    createHmac('sha256', platformKey).update(`weir audit ${what} ${account}`).digest()
  return {
    of(account, number) {
      const block = Buffer.alloc(blockBytes)
      block.writeBigUInt64BE(number, 8)
      const cipher = createCipheriv(algorithm, keyOf(account), null).setAutoPadding(false)
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
    },
    numberIn(account, text) {
      const sealed = Buffer.from(text, 'base64url')
      if (sealed.length !== blockBytes) return undefined
      const decipher = createDecipheriv(algorithm, keyOf(account), null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(sealed), decipher.final()])
      return block.readBigUInt64BE(0) === 0n ? block.readBigUInt64BE(8) : undefined
    },
  }
}
