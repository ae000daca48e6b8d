// CSV files for spreadsheets. Pure.
import { unparse } from 'papaparse'

/**
 * Texts that a spreadsheet would take for a formula get an apostrophe. Without the byte order mark, Excel reads UTF-8
 * as another encoding.
 */
export const csvFile = (
  rows: readonly Readonly<Record<string, string | number>>[],
  columns?: string[],
): string =>
  `\uFEFF${unparse([...rows], { escapeFormulae: true, ...(columns === undefined ? {} : { columns }) })}`
