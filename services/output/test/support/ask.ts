// Calls output's HTTP API as the scene's account.
import { asObject } from '@weir/testkit'
import type { ApartScene } from './scene.ts'

/** The request's body, another API key, or another replica. */
type How = { body?: unknown; key?: string; at?: string }
type Answer = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

export const askOf =
  (scene: () => ApartScene) =>
  async (method: string, path: string, how: How = {}): Promise<Answer> => {
    const { body, key = scene().account.apiKey, at = scene().world.output.url } = how
    const res = await fetch(`${at}${path}`, {
      method,
      headers: key === '' ? {} : { authorization: `Bearer ${key}` },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await res.text()
    return { status: res.status, headers: res.headers, body: asObject(JSON.parse(text)), text }
  }
