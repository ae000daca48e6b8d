// Counts each response under its path's template.
import type { NextFunction, Request, Response } from 'express'

export type Answered = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])

export function countAnswers(answered: (answer: Answered) => void) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const startMs = performance.now()
    res.once('finish', () => {
      const route: unknown = res.locals.route
      answered({
        method: methods.has(req.method) ? req.method : 'other',
        route: typeof route === 'string' ? route : 'none',
        status: res.statusCode,
        seconds: (performance.now() - startMs) / 1000,
      })
    })
    next()
  }
}
