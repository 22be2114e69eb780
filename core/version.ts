/** The version of the software, from package.json. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the package: the closest one above with a package.json, from the sources as from `dist`. */
export const packageDirectory = findPackageDirectory(import.meta.dirname)

export const version = (
  JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as { version: string }
).version

function findPackageDirectory(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findPackageDirectory(dirname(folder))
}
