// docker-compose.yml runs this once before everything else. It creates the secrets of this checkout in .weir/, as `npm
// start` does, and copies that the services' user may read. It runs as root, because only root can give files to other
// users, and has no network. Not for production.

import { chown, copyFile, chmod, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { createPrivate, kekFilesIn, makeKekFiles, makePlatformKey } from '../secrets.ts'

const [checkout = '/checkout', secrets = '/run/weir'] = process.argv.slice(2)
/** The same user as in the Dockerfile. */
const SERVICES_USER = 65_532

const owner = await stat(checkout)
const folder = join(checkout, '.weir')
await mkdir(folder, { recursive: true })
await chown(folder, owner.uid, owner.gid)
await makeKekFiles(folder)
await createPrivate(join(folder, 'platform-key'), `${makePlatformKey()}\n`)
const { auth, ingest, output } = kekFilesIn(folder)
/** A folder and a volume per service, so that a container gets only its own secrets. */
const copies = {
  'auth/kek': auth,
  'auth/platform-key': join(folder, 'platform-key'),
  'ingest/kek': ingest,
  'output/kek': output,
}
for (const [name, path] of Object.entries(copies)) {
  await chown(path, owner.uid, owner.gid)
  const copy = join(secrets, name)
  await mkdir(dirname(copy), { recursive: true })
  await rm(copy, { force: true })
  await copyFile(path, copy)
  await chmod(copy, 0o400)
  await chown(copy, SERVICES_USER, SERVICES_USER)
}
process.stdout.write('The secrets of this checkout are in .weir/.\n')
