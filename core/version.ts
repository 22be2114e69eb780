/** The version of the software, from package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the package: above `dist/core` once built, above `core` when run from the sources. */
export const packageDirectory = join(
  import.meta.dirname,
  import.meta.dirname.endsWith(join('dist', 'core')) ? '../..' : '..'
)

export const version = (
  JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as { version: string }
).version
