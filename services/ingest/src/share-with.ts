// CORS, because the console sends test events from a browser. It runs before the routes. Requests without an `Origin`,
// as producers send them, cost one header look-up.
import type { Handler, HttpResponse } from '@weir/http2'
import type { Cors } from '@weir/kit'

export function shareEventsWith(cors: Cors, handler: Handler): Handler {
  const share = async (
    headers: Readonly<Record<string, string>>,
    answer: HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    const { headers: own, ...rest } = await answer
    return { ...rest, headers: { ...own, ...headers } }
  }
  return (request) => {
    const shared = cors(request)
    if (shared === undefined) return handler(request)
    if (shared.isPreflight) return { status: 204, headers: shared.headers }
    return share(shared.headers, handler(request))
  }
}
