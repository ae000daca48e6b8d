// Tells browsers which pages of other origins may read a response, and answers their preflight requests.
import type { NextFunction, Request, Response } from 'express'
import type { Cors } from '@weir/kit'

export function shareWith(cors: Cors) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const shared = cors({ method: req.method, header: (name) => req.get(name) })
    if (shared !== undefined) res.set(shared.headers)
    if (shared?.isPreflight === true) res.status(204).end()
    else next()
  }
}
