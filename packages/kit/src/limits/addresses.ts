// Finds the client of a connection or a request, for limits per address: the peer's address or, if the peer is a
// trusted proxy, the last address in X-Forwarded-For that isn't a trusted proxy. Earlier addresses in this header may
// be forged. So no client can choose the address under which it is counted.
import { BlockList, isIP } from 'node:net'
import { csv, integer, withUnit } from '../config/config-fields.ts'

export const connectionFields = {
  CONNECTIONS_MAX: integer({ min: 100, max: 1_000_000, of: 'connections' })
    .default(10_000)
    .describe('maximum number of connections; one client address may open a tenth'),
  TRUSTED_PROXIES: withUnit(
    csv().refine(
      (items) => items.every(isRange),
      'it must be addresses such as 10.0.0.7, or ranges such as 10.0.0.0/8 and fd00::/8, with commas between',
    ),
    'CIDR, …',
  )
    .optional()
    .describe(
      'the proxies in front: X-Forwarded-For distinguishes their clients, and no limit per address applies to the connections of a proxy',
    ),
}

export type Proxies = {
  has(address: string | undefined): boolean
  /** Returns the address under which the client is counted. */
  clientOf(peer: string | undefined, forwardedFor: string | undefined): string
}

export function createProxies(ranges: readonly string[] = []): Proxies {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(
      address,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
      family,
    )
  }
  const has = (address = ''): boolean => {
    const plain = plainAddress(address)
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    has,
    clientOf(peer = '', forwardedFor = '') {
      if (!has(peer)) return countedAddress(peer)
      const hops = forwardedFor.split(',').map((hop) => hop.trim())
      const client = hops.findLast((hop) => !has(hop))
      return countedAddress(client !== undefined && isIP(client) !== 0 ? client : peer)
    },
  }
}

/**
 * Returns an IPv4 address unchanged, and only the first half of an IPv6 address, because one client has a whole
 * network.
 */
export function countedAddress(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [before = '', after] = plain.split('::')
  const groups = before === '' ? [] : before.split(':')
  const rest = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? 0 : 8 - groups.length - rest.length
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}

/**
 * Removes the prefix of IPv4 addresses at a dual-stack socket (::ffff:127.0.0.1), and zones, which mean something only
 * on this machine.
 */
const plainAddress = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}
