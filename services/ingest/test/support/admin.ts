// A service's admin port, as an operator's probes and scraper use it.

/** On a connection of its own: a kept one may be closed by the other side just as it is used. */
export const askAdmin = (adminUrl: string, path: string): Promise<Response> =>
  fetch(adminUrl + path, { headers: { connection: 'close' } })

/** The sum of every series of the name whose labels are these. */
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
