// Encrypts with the AES-SIV of Node 26 (OpenSSL). Reads JSON, [{key, ad, plain}] in hexadecimal digits, from stdin.
// Writes the texts to stdout as JSON, each with its synthetic IV first.
import { createCipheriv } from 'node:crypto'
import { text } from 'node:stream/consumers'

const hex = (digits) => Buffer.from(digits, 'hex')

const sealed = JSON.parse(await text(process.stdin)).map(({ key, ad, plain }) => {
  const cipher = createCipheriv('aes-256-siv', hex(key), null)
  cipher.setAAD(hex(ad))
  const encrypted = Buffer.concat([cipher.update(hex(plain)), cipher.final()])
  return Buffer.concat([cipher.getAuthTag(), encrypted]).toString('hex')
})
process.stdout.write(JSON.stringify(sealed))
