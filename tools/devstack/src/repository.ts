// The root of this checkout, for fixed paths in it: the services, and .weir for data.

import { join, resolve } from 'node:path'

export const REPOSITORY = resolve(import.meta.dirname, '../../..')
export const DATA_FOLDER = join(REPOSITORY, '.weir')
