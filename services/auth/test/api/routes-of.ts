// Reads the routes of auth from the application, so that a test of all routes can't miss a new one.
import type { Express } from 'express'
import { createApp } from '../../src/api/routes.ts'
import type { Routes } from '../../src/api/routes.ts'

/** Returns `<METHOD> <path template>` of every route. */
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

/** Routes are only listed, so their dependencies are never used. */
const unusable = <Dependency extends object>(): Dependency => ({}) as Dependency

function routesOf(app: Express): string[] {
  return app.router.stack.flatMap(({ route }) => {
    if (route === undefined) return []
    // A handler for all methods has no method. It only returns the permitted methods.
    const methods = route.stack.flatMap(({ method }) => (method ? [method.toUpperCase()] : []))
    return methods.map((method) => `${method} ${route.path}`)
  })
}
