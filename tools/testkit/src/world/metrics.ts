// Reads a service's metrics from its admin port, as Prometheus does.
import type { Service } from '@weir/devstack'

export async function readMetrics({ adminUrl }: Pick<Service, 'adminUrl'>): Promise<string> {
  const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) })
  return response.text()
}

/** Returns the sum of all series with this name and these labels; 0 if there are no such series. */
export async function counterOf(
  service: Pick<Service, 'adminUrl'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return (await readMetrics(service))
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
