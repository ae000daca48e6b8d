// Compares docs/openapi with the code.
import { expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { openApiPathOf, openApiTextOf, servicesWithApi } from '../../src/pages/openapi-files.ts'

test.each(servicesWithApi)('the OpenAPI document of %s is what its code makes', async (service) => {
  // If this fails, `npm run docs` corrects it.
  expect(await readDocument(openApiPathOf(service))).toBe(await openApiTextOf(service))
})
