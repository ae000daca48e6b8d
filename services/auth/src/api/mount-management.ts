// Mounts every management path with its handlers, for one version of the API.
import type { Express } from 'express'
import { audited, mountManaged } from './managed.ts'
import type { ManagedHandlers } from './managed.ts'
import type { Shown } from './management.ts'
import * as accounts from './routes/accounts.ts'
import * as apiKeys from './routes/api-keys.ts'
import * as audit from './routes/audit.ts'
import * as contracts from './routes/contracts.ts'
import * as credentials from './routes/credentials.ts'
import * as erasures from './routes/erasures.ts'
import * as keys from './routes/keys.ts'
import * as outputs from './routes/outputs.ts'
import * as people from './routes/people.ts'
import * as purposes from './routes/purposes.ts'
import * as signingKeys from './routes/signing-keys.ts'
import * as streams from './routes/streams.ts'
import * as subjects from './routes/subjects.ts'
import * as usage from './routes/usage.ts'

type Mount = <Path extends string>(path: Path, handlers: ManagedHandlers<Path>) => void

const stream = '/streams/:stream'
const output = `${stream}/outputs/:output` as const

export function mountManagement(app: Express, base: '/v1' | '/v2', deps: Shown): void {
  const mount: Mount = (path, handlers) => mountManaged(app, { base, path, deps }, handlers)
  mountAccounts(mount, deps)
  mountPlatform(mount, deps)
  mountStreams(mount, deps)
  mountErasures(mount, deps)
  mountPeople(mount, deps)
  mountOutputs(mount, deps)
  mountCredentials(mount, deps)
  mountContracts(mount, deps)
}

function mountAccounts(mount: Mount, deps: Shown): void {
  mount('/account', { GET: accounts.showAccount(deps) })
  mount('/account/purposes', {
    GET: purposes.listPurposes,
    PUT: audited('account.purposes', purposes.changePurposes(deps)),
  })
  mount('/accounts', { POST: audited('account.create', accounts.createAccountRoute(deps)) })
  mount('/accounts/:billingId', {
    DELETE: audited('account.delete', accounts.deleteAccountRoute(deps)),
  })
  mount('/accounts/:billingId/keys', {
    POST: audited('api-key.create', accounts.createOwnerKeyRoute(deps)),
  })
  mount('/api-keys', {
    GET: apiKeys.listApiKeys(deps),
    POST: audited('api-key.create', apiKeys.createApiKeyRoute(deps)),
  })
  mount('/api-keys/:keyId', { DELETE: audited('api-key.delete', apiKeys.deleteApiKeyRoute(deps)) })
}

function mountPlatform(mount: Mount, deps: Shown): void {
  mount('/audit', { GET: audit.showAudit(deps) })
  mount('/audit/chain', { GET: audit.showChain(deps) })
  mount('/keys', { GET: keys.showKeys(deps) })
  mount('/keys/rotations', { POST: audited('keys.rotate', keys.rotateKeys(deps)) })
  mount('/platform/accounts/:billingId/quotas', {
    GET: accounts.showQuotas(deps),
    PUT: audited('account.quotas', accounts.changeQuotas(deps)),
  })
  mount('/platform/signing-keys/rotate', {
    POST: audited('keys.signing.rotate', signingKeys.rotateSigning(deps)),
  })
}

function mountStreams(mount: Mount, deps: Shown): void {
  mount('/streams', {
    GET: streams.listStreams(deps),
    POST: audited('stream.create', streams.createStreamRoute(deps)),
  })
  mount(stream, {
    GET: streams.showStream(deps),
    PATCH: audited('stream.change', streams.changeStream(deps)),
    DELETE: audited('stream.delete', streams.deleteStreamRoute(deps)),
  })
  mount(`${stream}/usage`, { GET: usage.showUsage(deps) })
}

function mountErasures(mount: Mount, deps: Shown): void {
  mount(`${stream}/erasures`, {
    GET: erasures.listErasures(deps),
    POST: audited('erasure.create', erasures.createErasureRoute(deps)),
  })
  mount(`${stream}/erasures/:erasure`, {
    GET: erasures.showErasure(deps),
    PATCH: audited('erasure.change', erasures.changeErasureRoute(deps)),
  })
  mount(`${stream}/erasures/:erasure/receipt`, { GET: erasures.showReceipt(deps) })
  mount(`${stream}/subjects/lookup`, {
    POST: audited('subject.lookup', subjects.lookUpSubject(deps)),
  })
  mount(`${stream}/subject-access`, {
    POST: audited('subject.access', subjects.askForAccess(deps)),
  })
}

function mountPeople(mount: Mount, deps: Shown): void {
  mount('/people/search', { POST: audited('people.search', people.startSearch(deps)) })
  mount('/people/searches/:search', { GET: people.showSearch(deps) })
}

function mountOutputs(mount: Mount, deps: Shown): void {
  mount(`${stream}/outputs`, {
    GET: outputs.listOutputs(deps),
    POST: audited('output.create', outputs.createOutputRoute(deps)),
  })
  mount(output, {
    GET: outputs.showOutput(deps),
    PATCH: audited('output.change', outputs.changeOutput(deps)),
    DELETE: audited('output.delete', outputs.deleteOutputRoute(deps)),
  })
  mount(`${output}/rebuild`, { POST: audited('output.rebuild', outputs.rebuildOutput(deps)) })
}

function mountCredentials(mount: Mount, deps: Shown): void {
  for (const owner of [stream, output] as const) {
    mount(`${owner}/credentials`, {
      POST: audited('credentials.create', credentials.createCredentialsRoute(deps)),
    })
    mount(`${owner}/credentials/:clientId`, {
      DELETE: audited('credentials.delete', credentials.deleteCredentialsRoute(deps)),
    })
  }
}

function mountContracts(mount: Mount, deps: Shown): void {
  mount('/contracts', {
    GET: contracts.listContracts(deps),
    POST: audited('contract.create', contracts.createContractRoute(deps)),
  })
  mount('/contracts/:contract', { GET: contracts.showContract(deps) })
  mount('/contracts/:contract/archive', {
    POST: audited('contract.archive', contracts.archiveContractRoute(deps)),
  })
}
