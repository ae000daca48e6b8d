// Tells browsers which pages of other origins may see an answer, and answers their preflights.
import type { NextFunction, Request, Response } from 'express'
import type { createCors } from '@weir/kit'

export function shareWith(cors: ReturnType<typeof createCors>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const origin = req.get('origin')
    if (origin === undefined) return next()
    const wantedMethod = req.get('access-control-request-method')
    const { headers, isPreflight } = cors({ method: req.method, origin, wantedMethod })
    res.set(headers)
    if (!isPreflight) return next()
    res.status(204).end()
  }
}
