# An image for each of Weir's services, and the demo for docker-compose.yml:
#
#   docker build --target ingest --tag weir-ingest:0.1.0 .
#
# The images share all layers except the last. Only the console's page is compiled, because Node runs the TypeScript
# without a build. An image contains sources, production dependencies, their list (sbom.cdx.json), the documents as pages
# and Node, but no package manager and no compiler. The images run as user 65532 and write nothing, so give them a read-only root file
# system. Base images are pinned by version. Pin them by digest too where you build.

FROM node:24.21.0-bookworm-slim AS node

FROM node AS sources
WORKDIR /weir
COPY . ./

# The console's page. Its build tools are in no image.
FROM sources AS page
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --filter '@weir/console' && \
    node clients/console/src/build.ts

# The documents, which auth shows.
FROM sources AS site
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --no-optional --filter '@weir/docs' && \
    node packages/docs/src/site/main.ts

# What the services use of their Kafka client, in one file.
FROM sources AS client-library
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --filter '@weir/kafka' && \
    node packages/kafka/client-library/build.ts

FROM sources AS services
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --no-optional \
      --filter '@weir/auth...' --filter '@weir/ingest...' --filter '@weir/output...' && \
    npx --yes pnpm@12.21.0 sbom --lockfile-only --prod --no-optional --sbom-format cyclonedx --sbom-type application \
      --filter '@weir/auth...' --filter '@weir/ingest...' --filter '@weir/output...' --out sbom.cdx.json && \
    rm -rf clients/cli clients/node clients/python clients/console/web tools examples docs k8s *.md
COPY --from=page /weir/clients/console/dist clients/console/dist
COPY --from=site /weir/.weir/site .weir/site
COPY --from=client-library /weir/packages/kafka/client-library/dist packages/kafka/client-library/dist

FROM sources AS tools
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --no-optional --filter '@weir/devstack...' && \
    rm -rf clients/cli services docs k8s *.md
COPY --from=client-library /weir/packages/kafka/client-library/dist packages/kafka/client-library/dist

FROM debian:12.11-slim AS runtime
COPY --from=node /usr/local/bin/node /usr/local/bin/node
ENV NODE_ENV=production
WORKDIR /weir
USER 65532:65532

FROM runtime AS auth
COPY --from=services /weir ./
ENV AUTH_HOST=0.0.0.0
EXPOSE 8081 9081
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.AUTH_ADMIN_PORT || 9081}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "services/auth/src/main.ts"]

FROM runtime AS ingest
COPY --from=services /weir ./
ENV INGEST_HOST=0.0.0.0
EXPOSE 8082 9082
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.INGEST_ADMIN_PORT || 9082}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "services/ingest/src/main.ts"]

FROM runtime AS output
COPY --from=services /weir ./
ENV OUTPUT_HOST=0.0.0.0
EXPOSE 8083 9083
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OUTPUT_ADMIN_PORT || 9083}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "services/output/src/main.ts"]

# Only for docker-compose.yml, which says what it runs: the secrets of a development machine, and the demo.
FROM runtime AS compose
COPY --from=tools /weir ./
HEALTHCHECK NONE
CMD ["node", "tools/devstack/src/compose/setup.ts"]
