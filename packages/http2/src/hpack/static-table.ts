// The static table of HPACK (RFC 7541 Appendix A), its first entry at index 1.
import type { Field } from './field.ts'

const text = `:authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate`

export const staticTable: readonly Field[] = text.split('|').map((entry) => {
  const [name = '', value = ''] = entry.split('=')
  return { name, value }
})

/**
 * Returns the index of the entry with this name and value; 0 if it is missing. `staticNameIndexOf` compares only names.
 */
export const staticIndexOf = (name: string, value: string): number =>
  staticTable.findIndex((field) => field.name === name && field.value === value) + 1
export const staticNameIndexOf = (name: string): number =>
  staticTable.findIndex((field) => field.name === name) + 1
