/** Lists the files that a running service needs: build output, files shipped with it, and libraries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

/** A file, and its path in the package, separated by `/`. */
interface Content {
  readonly name: string
  readonly file: string
}

/** Files and folders shipped in addition to the build output. */
const shipped = ['package.json', 'LICENSE', 'mail', 'transports/openapi/examples.json', 'web/assets']
/** Build output for developers only. */
const forDevelopers =
  /^dist\/(?:client|test|scripts\/(?:bench|dev|package)|parts\/code-[^/]*--[^/]*)\/|^dist\/\.built$/
/** Libraries that only install other libraries, or that are bundled in `dist`. */
const excluded = new Set(['prebuild-install', 'typebox'])
/** Files of libraries that are loaded, and license texts. */
const loaded =
  /\.(?:[cm]?js|json|node|so(?:\.[0-9.]+)?|dylib|dll)$|(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i
/** Parts of libraries that are not used: sources, and formats for browsers. */
const unused =
  /^better-sqlite3\/(?:deps|src|build\/(?!Release\/better_sqlite3\.node$))|^swagger-ui-dist\/(?!swagger-ui(?:-bundle)?\.(?:css|js)$|package\.json$|LICENSE|NOTICE)|(?:^|\/)(?:tests?|examples?|benchmarks?|docs)\//

/** Returns all files, sorted by name. Throws if some have not been built or installed. */
export function listContents(): Content[] {
  const own = ['dist', ...shipped].flatMap(name => listFiles(join(packageDirectory, name)))
  const found = own.filter(({ name }) => !forDevelopers.test(name))
  for (const folder of findLibraries()) found.push(...listFiles(folder).filter(isUsed))
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Returns the absolute paths of the folders of all libraries that a running service needs, without those that only
 * install others or are bundled. Optional libraries may be missing; throws if another one is not installed.
 */
export function findLibraries(): Set<string> {
  const folders = new Set<string>()
  const add = (name: string, from: string, isOptional: boolean): void => {
    if (excluded.has(name)) return
    const folder = resolveLibrary(name, from)
    if (folder === undefined && !isOptional) throw new Error(`${name} is not installed: run npm ci`)
    if (folder === undefined || folders.has(folder)) return
    folders.add(folder)
    addAll(folder)
  }
  const addAll = (folder: string): void => {
    const read = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson
    for (const name of Object.keys(read.dependencies ?? {}))
      add(name, folder, name in (read.optionalDependencies ?? {}))
    for (const name of Object.keys(read.optionalDependencies ?? {})) add(name, folder, true)
  }
  addAll(packageDirectory)
  return folders
}

interface PackageJson {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Resolves a library as Node does. Returns its folder. */
function resolveLibrary(name: string, from: string): string | undefined {
  for (let at = from; at.startsWith(packageDirectory); at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return folder
  }
  return undefined
}

function isUsed({ name }: Content): boolean {
  const inLibrary = name.slice(name.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return (loaded.test(name) || name.endsWith('/swagger-ui.css')) && !unused.test(inLibrary)
}

/** Returns a file, or all files below a folder, without nested libraries, which are found separately. */
function listFiles(path: string): Content[] {
  const walk = (folder: string): Content[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
      const file = join(folder, entry.name)
      if (entry.isDirectory()) return isNestedLibraries(file) ? [] : walk(file)
      return entry.isFile() ? [toContent(file)] : []
    })
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`)
  return /\.json$|LICENSE$/.test(basename(path)) ? [toContent(path)] : walk(path)
}

function toContent(file: string): Content {
  return { name: relative(packageDirectory, file).split(sep).join('/'), file }
}

function isNestedLibraries(folder: string): boolean {
  return basename(folder) === 'node_modules' && !folder.startsWith(join(packageDirectory, 'dist'))
}
