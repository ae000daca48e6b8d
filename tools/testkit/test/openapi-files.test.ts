// Holds docs/openapi against the code.
import { expect, test } from '@jest/globals'

import { readDocument } from '../src/docs.ts'
import { openApiPathOf, openApiTextOf, servicesWithApi } from '../src/openapi-files.ts'

test.each(servicesWithApi)('the OpenAPI document of %s is what its code makes', async (service) => {
  // Otherwise `npm run docs` writes it.
  expect(await readDocument(openApiPathOf(service))).toBe(await openApiTextOf(service))
})
