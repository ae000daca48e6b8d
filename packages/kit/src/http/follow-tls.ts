// Watches the certificate and key of a service's own port. A new pair is used without a restart, whether the files were
// written, renamed, or replaced by a changed symbolic link, as in Kubernetes. If a new pair can't be used, an error is
// logged, and the old pair stays in use.

import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'

import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

import { isKeyOf } from '../config/listener-tls.ts'
import type { ListenerTlsSettings } from '../config/listener-tls.ts'
import type { Log } from '../logs/log.ts'
import { errorCodeOf, readSettingFile } from '../config/setting-files.ts'

export type TlsPair = { readonly cert: Buffer; readonly key: Buffer }

export type FollowedTls = TlsPair & {
  onChange(listener: (pair: TlsPair) => void): void
  stop(): void
}

type Files = { readonly certFile: string; readonly keyFile: string }

/** Returns the TLS options of a listener; none without a certificate. Throws if the files can't be read. */
export async function followTls(
  settings: ListenerTlsSettings & { TLS_RELOAD_MS: number },
  { log, registry }: { log: Log; registry: Registry },
): Promise<{ tls?: FollowedTls }> {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, TLS_RELOAD_MS: everyMs } = settings
  if (certFile === undefined || keyFile === undefined) return {}
  const files = { certFile, keyFile }
  const first = {
    cert: await readSettingFile('TLS_CERT_FILE', certFile),
    key: await readSettingFile('TLS_KEY_FILE', keyFile),
  }
  const listeners = new Set<(pair: TlsPair) => void>()
  let current = first
  const metrics = createTlsMetrics(registry, () => current.cert)
  const look = createLook(files, {
    current: () => current,
    take(pair) {
      current = pair
      for (const listener of listeners) listener(pair)
      log.info({ certFile, validUntil: new Date(expiryMs(pair.cert)) }, 'new certificate in use')
    },
    complain(problem) {
      metrics.failed()
      log.error({ ...files, problem }, 'the new certificate cannot be used; the old one stays')
    },
  })
  const timer = setInterval(() => void look(), everyMs).unref()
  return {
    tls: {
      ...first,
      onChange: (listener) => void listeners.add(listener),
      stop: () => clearInterval(timer),
    },
  }
}

type Looking = {
  current(): TlsPair
  take(pair: TlsPair): void
  complain(problem: string): void
}

/**
 * The returned function logs a problem only if two checks in a row find it, because the two files are seldom replaced
 * at the same moment.
 */
function createLook({ certFile, keyFile }: Files, { current, take, complain }: Looking) {
  let isLooking = false
  let lastProblem: string | undefined
  let toldProblem: string | undefined

  async function lookOnce(): Promise<void> {
    const found = await readPair(certFile, keyFile)
    if (typeof found !== 'string') {
      lastProblem = toldProblem = undefined
      const { cert, key } = current()
      if (!found.cert.equals(cert) || !found.key.equals(key)) take(found)
      return
    }
    if (found === lastProblem && found !== toldProblem) {
      toldProblem = found
      complain(found)
    }
    lastProblem = found
  }

  return async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    await lookOnce().finally(() => (isLooking = false))
  }
}

/** Returns the pair, or its problem. */
async function readPair(certFile: string, keyFile: string): Promise<TlsPair | string> {
  try {
    const [cert, key] = [await readFile(certFile), await readFile(keyFile)]
    if (!isKeyOf(cert, key)) return 'the key is not that of the first certificate'
    createSecureContext({ cert, key })
    return { cert, key }
  } catch (error) {
    const code = errorCodeOf(error)
    return `the certificate or its key can't be used${code === undefined ? '' : ` (${code})`}`
  }
}

function createTlsMetrics(registry: Registry, cert: () => Buffer) {
  const registers = [registry]
  new Gauge({
    name: 'weir_tls_certificate_expiry_seconds',
    help: "Seconds until the first certificate of the port's chain expires; negative after that.",
    registers,
    collect() {
      this.set(Math.round((expiryMs(cert()) - Date.now()) / 1_000))
    },
  })
  const failures = new Counter({
    name: 'weir_tls_reload_failures_total',
    help: 'New certificates that could not be used; the old certificate stays in use.',
    registers,
  })
  return { failed: () => failures.inc() }
}

/** Returns the earliest expiry in the chain. */
function expiryMs(chain: Buffer): number {
  const blocks = chain
    .toString('latin1')
    .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  const ends = (blocks ?? []).map((block) => Date.parse(new X509Certificate(block).validTo))
  return Math.min(...ends)
}
