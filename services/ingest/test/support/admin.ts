// A service's admin port, as probes and scrapers use it.

/** Uses a new connection, because the service may close an idle connection just as a request uses it. */
export const askAdmin = (adminUrl: string, path: string): Promise<Response> =>
  fetch(adminUrl + path, { headers: { connection: 'close' } })

/** Returns the sum of all series with this name and these labels. */
export async function metricOf(
  adminUrl: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = await (await askAdmin(adminUrl, '/metrics')).text()
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}
