// For tests of other packages: the text of documents, and what must match the code.
export { readDocument } from './documents.ts'
export { documentedStatuses, shownTitles } from './error-pages.ts'
