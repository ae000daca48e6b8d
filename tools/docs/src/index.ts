// What tests of other rooms ask of documents: their text, and the tables that must be what the code says.
export { documentedRefusals, readDocument, rowsUnder } from './documents.ts'
