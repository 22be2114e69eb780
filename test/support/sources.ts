/** Lists the files of the repository that people read: pages of the documentation, and code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from '../../core/version.js'

const settings = JSON.parse(readFileSync(join(packageDirectory, 'tsconfig.json'), 'utf8')) as {
  include: string[]
}

/** Folders of code: those that the compiler's settings name, or name a part of, and the pages. */
export const sourceFolders: readonly string[] = [
  ...new Set([...settings.include.map(path => path.split('/')[0]!), 'web'])
]

/** Pages of the documentation, relative to the repository. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  join('client', 'README.md'),
  ...['docs', 'test'].flatMap(folder => listFiles(folder, /\.md$/))
]

export interface Source {
  /** Path relative to the repository. */
  readonly file: string
  readonly text: string
}

/** Reads all files of code of a folder, without what was built. */
export function readSources(folder: string): Source[] {
  return listFiles(folder, /\.c?tsx?$/)
    .filter(file => !/\/(?:dist|node_modules)\//.test(file))
    .map(file => ({ file, text: readFileSync(join(packageDirectory, file), 'utf8') }))
}

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(packageDirectory, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => pattern.test(name))
    .map(name => join(folder, name))
}
