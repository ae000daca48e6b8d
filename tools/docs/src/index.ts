// What tests of other rooms ask of documents: their text, and the tables that must be what the code says.
export { readDocument, rowsUnder } from './documents.ts'
export { documentedStatuses, shownTitles } from './error-pages.ts'
