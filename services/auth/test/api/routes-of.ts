// The routes of auth, read from the application itself, so that a test over all routes can't miss a new one.
import type { Express } from 'express'
import { createApp } from '../../src/api/routes.ts'
import type { Routes } from '../../src/api/routes.ts'

/** `<METHOD> <path template>` of every route. */
export function routesOfAuth(): string[] {
  const management: Routes['management'] = {
    callers: unusable(),
    refusals: unusable(),
    state: unusable(),
    accounts: unusable(),
    streams: unusable(),
    contracts: unusable(),
    erasures: unusable(),
    keys: unusable(),
    audit: unusable(),
    usage: unusable(),
    subjects: unusable(),
    searches: unusable(),
    erasureView: unusable(),
    issuer: 'http://auth.test',
    defaultLimits: { eventRate: '1', eventCount: '1' },
  }
  const unused: Routes = {
    management,
    tokenService: unusable(),
    discovery: unusable(),
    registryDoor: unusable(),
    openApi: {},
    siteFolder: '',
    metrics: unusable(),
    guesses: unusable(),
    log: unusable(),
    origins: [],
    kafkaPrefix: '',
    pageOf: (code) => code,
    isOpen: () => true,
  }
  return routesOf(createApp(unused))
}

/** Routes are only listed here, never called. */
const unusable = <Dependency extends object>(): Dependency => ({}) as Dependency

function routesOf(app: Express): string[] {
  return app.router.stack.flatMap(({ route }) => {
    if (route === undefined) return []
    // A route for all methods only returns the permitted methods; it has no method of its own.
    const methods = route.stack.flatMap(({ method }) => (method ? [method.toUpperCase()] : []))
    return methods.map((method) => `${method} ${route.path}`)
  })
}
