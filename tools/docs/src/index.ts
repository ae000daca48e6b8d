// For tests of other packages: the text of documents, and their tables that must match the code.
export { readDocument, rowsUnder } from './documents.ts'
export { documentedStatuses, shownTitles } from './error-pages.ts'
