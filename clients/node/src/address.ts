// Addresses of services as users write them: with or without a path, with or without a slash at the end.

export function serviceUrl(address: string, path: string, what: string): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new TypeError(`${what} must be a URL, such as http://127.0.0.1:8081`)
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${what} must begin with http:// or https://`)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.search = ''
  url.hash = ''
  return url
}
