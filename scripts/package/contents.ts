/** The files that a running service needs: what was built, what is shipped beside it, and the libraries in use. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

/** A file: where it is, and its path in the package, with `/`. */
export interface Content {
  readonly name: string
  readonly file: string
}

/** What is shipped beside what was built. */
const shipped = ['package.json', 'LICENSE', 'mail', 'transports/openapi/examples.json', 'web/assets']
/** Parts of what was built that serve nobody but developers. */
const forDevelopers = /^dist\/(?:client|test|scripts\/(?:bench|dev|package))\/|^dist\/\.built$/
/** Libraries that only install others, or that were built into `dist`. */
const leftOut = new Set(['prebuild-install', 'typebox'])
/** What is loaded, by its ending, and what its authors ask to pass on. */
const loaded =
  /\.(?:[cm]?js|json|node|so(?:\.[0-9.]+)?|dylib|dll)$|(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i
/** Of large libraries: what they are compiled from, and forms for browsers that nobody asks for. */
const superfluous =
  /^better-sqlite3\/(?:deps|src|build\/(?!Release\/better_sqlite3\.node$))|^swagger-ui-dist\/(?!swagger-ui(?:-bundle)?\.(?:css|js)$|package\.json$|LICENSE|NOTICE)|(?:^|\/)(?:tests?|examples?|benchmarks?|docs)\//

/** All files, in the order of their names. Throws if a part of them has not been built or installed. */
export function contents(): Content[] {
  const own = ['dist', ...shipped].flatMap(name => filesIn(join(packageDirectory, name)))
  const found = own.filter(({ name }) => !forDevelopers.test(name))
  for (const folder of libraries()) found.push(...filesIn(folder).filter(isUsed))
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The folders of all libraries that are installed and not for development alone. */
export function libraries(): Set<string> {
  const folders = new Set<string>()
  const add = (name: string, from: string, isOptional: boolean): void => {
    if (leftOut.has(name)) return
    const folder = folderOf(name, from)
    if (folder === undefined && !isOptional) throw new Error(`${name} is not installed: run npm ci`)
    if (folder === undefined || folders.has(folder)) return
    folders.add(folder)
    addAll(folder)
  }
  const addAll = (folder: string): void => {
    const read = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Described
    for (const name of Object.keys(read.dependencies ?? {}))
      add(name, folder, name in (read.optionalDependencies ?? {}))
    for (const name of Object.keys(read.optionalDependencies ?? {})) add(name, folder, true)
  }
  addAll(packageDirectory)
  return folders
}

interface Described {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Where a library lies that a folder asks for, as Node looks for it. */
function folderOf(name: string, from: string): string | undefined {
  for (let at = from; at.startsWith(packageDirectory); at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return undefined
}

function isUsed({ name }: Content): boolean {
  const inLibrary = name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return (loaded.test(name) || name.endsWith('/swagger-ui.css')) && !superfluous.test(inLibrary)
}

/** The file, or all files below the folder but for libraries of libraries, which are found by themselves. */
function filesIn(path: string): Content[] {
  const walk = (folder: string): Content[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const file = join(folder, entry.name)
      if (entry.isDirectory()) return isOfOthers(file) ? [] : walk(file)
      return entry.isFile() ? [named(file)] : []
    })
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`)
  return /\.json$|LICENSE$/.test(basename(path)) ? [named(path)] : walk(path)
}

function named(file: string): Content {
  return { name: relative(packageDirectory, file).split(sep).join('/'), file }
}

function isOfOthers(folder: string): boolean {
  return basename(folder) === 'node_modules' && !folder.startsWith(join(packageDirectory, 'dist'))
}
