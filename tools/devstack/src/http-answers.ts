// Whether an address responds over HTTP, with any content.

const ANSWER_WITHIN_MS = 5000

export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
