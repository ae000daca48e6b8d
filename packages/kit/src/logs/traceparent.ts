// The header `traceparent` (W3C Trace Context, 3.2): a request's trace, and whether its sender records it. A malformed
// header counts as missing. This file records nothing.
//
//   traceparent = version "-" trace-id "-" parent-id "-" flags [ "-" more, of later versions ]
//   version = 2HEXDIGLC    trace-id = 32HEXDIGLC    parent-id = 16HEXDIGLC    flags = 2HEXDIGLC    not all zero

export type TraceParent = {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const charsMax = 255
const sampled = 0x01

export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  if (header === undefined || header.length > charsMax) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff') return undefined
  if (version === '00' && more !== undefined) return undefined
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampled) !== 0 }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
