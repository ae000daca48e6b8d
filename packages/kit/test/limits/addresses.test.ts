import { describe, expect, test } from '@jest/globals'
import { countedAddress, createProxies } from '../../src/limits/addresses.ts'

describe('the client of a request', () => {
  const proxies = createProxies(['10.0.0.0/8', '192.168.1.7', 'fd00::/8'])

  test('is the peer, whatever it says of others', () => {
    expect(proxies.clientOf('203.0.113.9', '1.2.3.4')).toBe('203.0.113.9')
    expect(proxies.clientOf('::ffff:203.0.113.9', undefined)).toBe('203.0.113.9')
    expect(createProxies().clientOf('10.0.0.1', '1.2.3.4')).toBe('10.0.0.1')
  })

  test('is the last that a proxy of ours did not add itself', () => {
    expect(proxies.clientOf('10.1.2.3', 'forged, 203.0.113.9')).toBe('203.0.113.9')
    expect(proxies.clientOf('::ffff:10.1.2.3', '203.0.113.9, 192.168.1.7 , fd00::1')).toBe(
      '203.0.113.9',
    )
  })

  test('is the proxy where nothing else can be told', () => {
    for (const header of [undefined, '', 'nonsense', '10.0.0.1'])
      expect(proxies.clientOf('10.1.2.3', header)).toBe('10.1.2.3')
  })
})

test('of IPv6 the first half counts, however it is written', () => {
  expect(countedAddress('2001:DB8:0:1::5')).toBe('2001:db8:0:1')
  expect(countedAddress('2001:db8:0:1:aaaa:bbbb:cccc:dddd')).toBe('2001:db8:0:1')
  expect(countedAddress('2001:0db8::')).toBe('2001:db8:0:0')
  expect(countedAddress('::1')).toBe('0:0:0:0')
  expect(countedAddress('fe80::1%eth0')).toBe('fe80:0:0:0')
})
