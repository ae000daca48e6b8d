// Pages of other origins: the console sends test events from a browser. It stands before the routes, and costs
// requests without an `Origin`, which no producer sends, one look for that header.
import type { Handler, HttpResponse } from '@weir/http2'
import type { createCors } from '@weir/kit'

export function shareWith(cors: ReturnType<typeof createCors>, handler: Handler): Handler {
  const share = async (
    headers: Readonly<Record<string, string>>,
    answer: HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    const { headers: own, ...rest } = await answer
    return { ...rest, headers: { ...own, ...headers } }
  }
  return (request) => {
    const origin = request.header('origin')
    if (origin === undefined) return handler(request)
    const wantedMethod = request.header('access-control-request-method')
    const { headers, isPreflight } = cors({ method: request.method, origin, wantedMethod })
    if (isPreflight) return { status: 204, headers }
    return share(headers, handler(request))
  }
}
