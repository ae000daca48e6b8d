// Certificates for tests: a CA and its certificates, as PEM files in one folder, created with openssl. For tests only,
// because the keys aren't protected.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type CertificateFiles = { readonly cert: string; readonly key: string }

export type Authority = {
  /** The file of the CA's certificate. */
  readonly ca: string
  /** `names` and `subject` in openssl's syntax: `IP:127.0.0.1`, `/O=example/CN=somebody`. */
  issue(
    name: string,
    names: readonly string[],
    days?: number,
    subject?: string,
  ): Promise<CertificateFiles>
}

const run = promisify(execFile)

const NEW_KEY = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'.split(' ')

/** Creates a CA. The names of its files in `folder` begin with `name`. */
export async function makeAuthority(folder: string, name: string): Promise<Authority> {
  const filesOf = (which: string): CertificateFiles => ({
    cert: join(folder, `${name}-${which}.pem`),
    key: join(folder, `${name}-${which}.key`),
  })
  const own = filesOf('ca')
  const make = ({ cert, key }: CertificateFiles, subject: string, more: readonly string[]) =>
    run(
      'openssl',
      ['req', '-x509', '-subj', subject, '-keyout', key, '-out', cert].concat(NEW_KEY, more),
    )
  await make(own, `/CN=Weir test authority ${name}`, ['-days', '2'])
  return {
    ca: own.cert,
    async issue(which, names, days = 1, subject = `/CN=${which}`) {
      const files = filesOf(which)
      const signed = ['-CA', own.cert, '-CAkey', own.key, '-days', String(days)]
      await make(files, subject, [...signed, '-addext', `subjectAltName=${names.join()}`])
      return files
    },
  }
}
