// CSV files for spreadsheets. Pure.
import { unparse } from 'papaparse'

/**
 * Adds an apostrophe to texts that look like formulas. Without the byte order mark, Excel reads UTF-8 as another
 * encoding.
 */
export const csvFile = (
  rows: readonly Readonly<Record<string, string | number>>[],
  columns?: string[],
): string =>
  `\uFEFF${unparse([...rows], { escapeFormulae: true, ...(columns === undefined ? {} : { columns }) })}`
