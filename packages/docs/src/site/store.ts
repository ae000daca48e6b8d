// Writes files into a folder, while other processes may read the folder or write the same files.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** Afterwards the folder contains these files only. Files that have not changed stay untouched. */
export async function store(
  folder: string,
  files: ReadonlyMap<string, string | Buffer>,
): Promise<void> {
  const beside = `${folder}.${process.pid}`
  for (const [path, content] of files) {
    const target = join(folder, path)
    const before = await readFile(target).catch(() => undefined)
    if (before?.equals(Buffer.from(content)) === true) continue
    await mkdir(dirname(target), { recursive: true })
    await writeFile(beside, content)
    await rename(beside, target)
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.has(relative(folder, path))) await rm(path, { force: true })
  }
}
