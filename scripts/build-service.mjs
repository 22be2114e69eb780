/**
 * Bundles the modules that the service loads at startup into a few files in `dist/parts`, together with the libraries that they
 * import. Each module in `dist` remains as a file that re-exports from there, so all importers share one instance. Loading nine
 * hundred files took most of the startup time. Modules that are imported later, on demand, stay as compiled. Each bundle is a script,
 * whose compiled code can be cached.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'vite'
import { convertPart } from './convert-part.mjs'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const parts = join(dist, 'parts')
/** The entry points that a start loads. */
const service = ['scripts/cli.js', 'scripts/commands/serve.js']
/** The module of the threads that read imported files: one starts for each file. */
const reader = 'imports/worker.js'
/** Modules that are also loaded without the service. Each group is in its own part, without those of the groups before it. */
const others = {
  command: ['scripts/cli.js'],
  settings: ['scripts/commands/settings.js'],
  threads: [
    'storage/platform/check-worker.js',
    'storage/sqlite/copy-worker.js',
    'storage/wal/checkpoint-worker.js',
    'server/pictures/decoder.js',
    'cluster/files/file-worker.js'
  ],
  commands: listModules('scripts/commands').filter(name => !/\/(?:serve|check-config)\.js$/.test(name))
}
/** Libraries that are loaded from their own files: those with native code, and TypeBox, which unbundled modules import as well. */
const outside = [/^typebox(?:\/|$)/, /^better-sqlite3$/, /^@node-rs\//]
/** Koa needs this library in two versions that answer alike. Each has a table of all media types, so only one is bundled. */
const mediaTypes = createRequire(createRequire(import.meta.url).resolve('koa')).resolve('mime-types')
const mediaTypeTable = createRequire(mediaTypes).resolve('mime-db/db.json')

/** Prefix of the name of a file in `dist`, replaced by a relative path once the importing file is known. */
const mark = 'coffer-dist:'
const marked = new RegExp(`(["'\`])${mark}([^"'\`]+)\\1`, 'g')

const imported = /^(?:import|export)\s(?:[^'"();]*?\sfrom\s+)?'(\.[^']+)'/gm

const serviceModules = findImportedModules(service)
const readerModules = findImportedModules([reader])
const modules = new Set([...serviceModules, ...readerModules])
const reached = [
  // A reader thread loads these two parts and no other, and the service only the first of them.
  { part: 'formats', files: new Set([...readerModules].filter(file => serviceModules.has(file))) },
  { part: 'reader', files: readerModules },
  ...Object.entries(others).map(([part, names]) => ({ part, files: findImportedModules(names) }))
]
/** All parts. Each may import those before it. */
const partOrder = [...reached.map(({ part }) => part), 'storage', 'core', 'transports', 'server', 'scripts']

/** The converted parts, by the names of their files. */
const scripts = new Map()

rmSync(parts, { recursive: true, force: true })
await build({
  root,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  ssr: { noExternal: true, external: [] },
  plugins: [{ name: 'service', enforce: 'pre', load, resolveId, generateBundle }],
  build: {
    ssr: true,
    outDir: dist,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: Object.fromEntries([...modules].map(file => [getModuleName(file).replace(/\.js$/, ''), file])),
      // Some libraries use `eval`.
      checks: { eval: false },
      output: {
        comments: { legal: true, annotation: true, jsdoc: false },
        entryFileNames: '[name].js',
        chunkFileNames: 'parts/[name].js',
        minifyInternalExports: false,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: getPart, debugName: 'parts' }]
        }
      }
    }
  }
})

for (const [name, script] of scripts) writeFileSync(join(dist, name), script)
// A module that re-exports from a part needs its source map no longer.
for (const file of modules)
  if (!readFileSync(file, 'utf8').includes('sourceMappingURL')) rmSync(`${file}.map`, { force: true })

/** Returns all modules that some of ours import statically, directly or indirectly. */
function findImportedModules(names) {
  const found = new Set()
  const queue = names.map(name => join(dist, name))
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue
    found.add(file)
    for (const [, target] of readFileSync(file, 'utf8').matchAll(imported))
      queue.push(join(dirname(file), target))
  }
  return found
}

/** Returns the path of one of our modules, relative to `dist`. */
function getModuleName(file) {
  return relative(dist, file).split(sep).join('/')
}

/** Returns the modules in folders. */
function listModules(...folders) {
  return folders.flatMap(folder =>
    readdirSync(join(dist, folder))
      .filter(name => name.endsWith('.js'))
      .map(name => `${folder}/${name}`)
  )
}

/** Returns the part that a module belongs to; none for a thread's own module, which runs when it is loaded. A library is beside the first part that needs it. */
function getPart(id, graph) {
  if (id === join(dist, reader)) return null
  if (modules.has(id)) return getOwnPart(id)
  const part = partOrder.find(each => findImportingParts(id, graph).has(each))
  return reached.some(each => each.part === part) ? `${part}-libraries` : 'libraries'
}

function getOwnPart(file) {
  const [folder] = getModuleName(file).split('/')
  return reached.find(({ files }) => files.has(file))?.part ?? (folder === 'schemas' ? 'storage' : folder)
}

/** Returns the parts that import a module of a library, directly or indirectly. */
function findImportingParts(id, graph, seen = new Set([id])) {
  const { dynamicImporters, importers } = graph.getModuleInfo(id)
  const found = new Set()
  for (const importer of [...importers, ...dynamicImporters]) {
    if (modules.has(importer)) found.add(getOwnPart(importer))
    else if (!seen.has(importer))
      for (const part of findImportingParts(importer, graph, seen.add(importer))) found.add(part)
  }
  return found
}

/** Loads one of our modules with its source map. `import.meta.url` is replaced, because the code moves to another file. */
function load(id) {
  if (id === mediaTypeTable) return parsedTable(id)
  if (!modules.has(id)) return null
  const place = JSON.stringify(mark + getModuleName(id))
  const code = readFileSync(id, 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
  return { code, map: readFileSync(`${id}.map`, 'utf8') }
}

/** Returns a module that parses a table when it is loaded: JSON is parsed faster than the same as JavaScript. */
function parsedTable(file) {
  const table = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
  return { code: `module.exports = JSON.parse(${JSON.stringify(table)})`, moduleType: 'js' }
}

/** Keeps modules that are imported on demand, and external libraries, out of the bundle. */
function resolveId(target, from, { kind }) {
  if (outside.some(pattern => pattern.test(target))) return { id: target, external: true }
  if (target === 'mime-types') return mediaTypes
  if (from === undefined || !modules.has(from)) return null
  if (!target.startsWith('.')) return kind === 'dynamic-import' ? { id: target, external: true } : null
  const file = join(dirname(from), target)
  if (modules.has(file)) return file
  if (!existsSync(file)) throw new Error(`${getModuleName(from)} imports ${target}, which does not exist`)
  return { id: mark + getModuleName(file), external: true }
}

/**
 * Replaces marked names by relative paths: a part with a single module stays in the place of that module. Escapes characters beyond
 * ASCII: with any character beyond Latin-1, V8 stores a source with two bytes per character, 3 MB more. Removes the source maps of
 * libraries.
 */
function generateBundle(_options, files) {
  for (const [name, file] of Object.entries(files)) {
    if (file.type !== 'chunk') continue
    const here = dirname(join(dist, name))
    file.code = file.code.replaceAll(marked, (_, quote, other) => {
      const path = relative(here, join(dist, other)).split(sep).join('/')
      return `${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    })
    file.code = file.code.replaceAll(
      /[^\0-\x7f]/g,
      unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    )
    if (file.name.endsWith('libraries')) {
      delete files[`${name}.map`]
      file.code = file.code.replace(/^\/\/# sourceMappingURL=.*$/m, '')
    }
    if (!name.startsWith('parts/')) continue
    const { module, script } = convertPart(file.code, '../scripts/load-part.cjs')
    file.code = module
    scripts.set(name.replace(/js$/, 'cjs'), script)
  }
}
