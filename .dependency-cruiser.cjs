// The import directions of docs/architecture.md, as rules. TypeScript 7 has no compiler API, so swc reads the sources;
// tools/testkit/test/architecture/import-rules.test.ts checks that swc sees all imports.
const PRODUCTION = '^(services|packages|clients)/[^/]+/src/'
const OURS = '^(packages|services|clients|tools)/'

/** Returns the rule of a package that may import only these workspace packages. npm dependencies are not restricted. */
const only = (name, ...allowed) => ({
  name: `${name}-imports-${allowed.length === 0 ? 'nothing' : allowed.join('-and-')}`,
  severity: 'error',
  comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}`,
  from: { path: `^packages/${name}/src/` },
  to: { path: OURS, pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
})

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'two files that need each other, be it for types, are one idea, or lack a third',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycle',
      severity: 'error',
      comment:
        'two folders that need each other are one room, or lack a third; a folder and one inside it are one room',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'the import leads nowhere',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-package-to-service',
      severity: 'error',
      comment: 'services import packages, never the other way',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'no-service-to-service',
      severity: 'error',
      comment: 'services meet on Kafka topics and HTTP',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'no-tools-in-production',
      severity: 'error',
      comment: 'tools are for tests and development machines',
      from: { path: PRODUCTION },
      to: { path: '^tools/' },
    },
    {
      name: 'no-src-to-test',
      severity: 'error',
      comment: 'tests import sources, never the other way',
      from: { path: '/src/' },
      to: { path: `${OURS}[^/]+/test/` },
    },
    {
      name: 'kafka-libraries-behind-kafka',
      severity: 'error',
      comment:
        'import @weir/kafka: it shields the rest from Kafka libraries (the driver, which may not, reads with kafkajs; bench compares with them bare; a test reads as strangers do)',
      from: {
        path: OURS,
        pathNot:
          '^packages/kafka/|^clients/node/(src|test)/reading/|^tools/bench/|^tools/testkit/src/world/quota|^packages/schema-registry/test/|^services/output/test/derive/foreign-consumers',
      },
      to: { path: 'node_modules/(kafkajs|@kafkajs|@platformatic/kafka)/' },
    },
    {
      name: 'no-kafkajs-in-sources',
      severity: 'error',
      comment:
        'the driver reads topics with it; tests read and write with it as strangers do; bench compares with it',
      from: { path: '/src/', pathNot: '^tools/bench/|^clients/node/src/reading/' },
      to: { path: 'node_modules/(kafkajs|@kafkajs)/' },
    },
    {
      name: 'pure-packages-do-no-io',
      severity: 'error',
      comment: 'contracts and fieldcrypt take what they need as arguments',
      from: { path: '^packages/(contracts|fieldcrypt)/src/' },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|http|https|http2|tls|dns|dgram|child_process|timers|process|os)(/|$)',
      },
    },
    {
      name: 'no-package-to-client',
      severity: 'error',
      comment: 'clients use what services answer; no package knows them',
      from: { path: '^packages/' },
      to: { path: '^clients/' },
    },
    {
      name: 'no-service-to-client',
      severity: 'error',
      comment: 'clients use what services answer; no service knows them',
      from: { path: '^services/' },
      to: { path: '^clients/' },
    },
    {
      name: 'no-client-to-private-package',
      severity: 'error',
      comment:
        'clients use what services answer, other clients and npm packages (only the check of a receipt is the one of auth: it says the same sentences)',
      from: {
        path: '^clients/[^/]+/(src|web)/',
        pathNot: '^clients/cli/src/commands/subject/erasure[.]ts$',
      },
      to: { path: '^packages/' },
    },
    {
      name: 'no-client-to-kafka-package',
      severity: 'error',
      comment:
        'tests of clients, too, read topics as their users can: with the driver, @weir/client',
      from: { path: '^clients/' },
      to: { path: '^packages/kafka/' },
    },
    {
      name: 'driver-imports-nothing',
      severity: 'error',
      comment: 'it is packed and used outside of this repository',
      from: { path: '^clients/node/src/' },
      to: { path: OURS, pathNot: '^clients/node/' },
    },
    {
      name: 'console-imports-nothing',
      severity: 'error',
      comment: 'the page is a client like any other: it knows Weir by HTTP and WebSocket',
      from: { path: '^clients/console/(src|web)/' },
      to: { path: OURS, pathNot: '^clients/console/' },
    },
    only('kit'),
    only('docs'),
    only('http-api', 'kit', 'control-state', 'docs'),
    only('contracts', 'kit'),
    only('fieldcrypt', 'kit'),
    only('tokens', 'kit'),
    only('kafka', 'kit'),
    only('http2', 'kit'),
    only('trace', 'kit'),
    // This package is packed for use outside of this repository.
    only('schema-registry', 'kit'),
    only('control-state', 'kit', 'kafka', 'fieldcrypt', 'contracts', 'tokens'),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/test/fixtures/', '^\\.weir/'] },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
}
