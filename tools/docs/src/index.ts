// For tests of other packages: the text of documents, and the documented errors.
export { readDocument } from './documents.ts'
export { documentedStatuses, shownTitles } from './error-pages.ts'
