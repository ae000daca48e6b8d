// Runs third-party linters on the Dockerfile and docker-compose.yml. ci/prepare.sh installs the linters.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { isJson } from '../src/json.ts'
import { readCompose } from '../src/manifests/compose.ts'
import { REPOSITORY } from '@weir/devstack'
import { installed } from '../src/repository.ts'

const run = promisify(execFile)

test("hadolint's rules hold for the Dockerfile", async () => {
  const args = ['--failure-threshold', 'info', join(REPOSITORY, 'Dockerfile')]
  const outcome = run(installed('hadolint-*/bin/hadolint'), args)
  await expect(outcome).resolves.toMatchObject({ stdout: '' })
})

test("docker-compose.yml is valid by the compose specification's schema", async () => {
  const schema: unknown = JSON.parse(
    await readFile(installed('compose-*/compose-spec.json'), 'utf8'),
  )
  if (!isJson(schema)) throw new Error('the schema is no object')
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  validate(await readCompose())
  expect(validate.errors).toBeNull()
})
