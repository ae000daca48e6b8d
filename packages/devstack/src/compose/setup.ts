// Run once by docker-compose.yml before anything else: makes the secrets of this checkout in .weir/, as
// `npm start` does, and copies of them that the services' user may read. It runs as root, without a network,
// since only root can give files to others. Not for production.

import { chown, copyFile, chmod, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { createPrivate, makeKekFile, makePlatformKey } from '../secrets.ts'

const [checkout = '/checkout', secrets = '/run/weir'] = process.argv.slice(2)
/** As in the Dockerfile. */
const SERVICES_USER = 65_532

const owner = await stat(checkout)
const folder = join(checkout, '.weir')
await mkdir(folder, { recursive: true })
await chown(folder, owner.uid, owner.gid)
await makeKekFile(join(folder, 'kek'))
await createPrivate(join(folder, 'platform-key'), `${makePlatformKey()}\n`)
for (const name of ['kek', 'platform-key']) {
  await chown(join(folder, name), owner.uid, owner.gid)
  const copy = join(secrets, name)
  await rm(copy, { force: true })
  await copyFile(join(folder, name), copy)
  await chmod(copy, 0o400)
  await chown(copy, SERVICES_USER, SERVICES_USER)
}
process.stdout.write('The secrets of this checkout are in .weir/.\n')
