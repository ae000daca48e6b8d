// A self-signed certificate for one test run.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Tls } from '../src/index.ts'

export async function selfSigned(): Promise<Tls> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-tls-'))
  try {
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const request = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ')
    await promisify(execFile)('openssl', [...request, '-keyout', keyFile, '-out', certFile])
    return { key: await readFile(keyFile), cert: await readFile(certFile) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
