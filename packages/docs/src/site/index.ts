export { buildSite } from './build.ts'
export type { Site } from './build.ts'
export { repositoryFiles } from './sources.ts'
