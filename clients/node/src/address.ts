// Addresses of services as users write them: with or without a path, with or without a slash at the end.

export function serviceUrl(address: string, path: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.search = ''
  url.hash = ''
  return url
}
