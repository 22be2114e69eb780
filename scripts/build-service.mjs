/**
 * Puts the modules that the service loads when it starts into a few files in `dist/parts`, together with the libraries that
 * they import. In `dist` each module stays where it was, and passes on what is in there: whoever imports it gets the same
 * instance. Loading nine hundred files took most of a start. What is imported later, when it is needed, stays as compiled.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const parts = join(dist, 'parts')
/** What a start loads, from the command on. */
const service = ['scripts/cli.js', 'scripts/commands/serve.js']
/** What is loaded with less than the service: each in a part of its own, beside what stands before it. */
const others = {
  command: ['scripts/cli.js'],
  settings: ['scripts/commands/settings.js'],
  threads: [
    'storage/platform/check-worker.js',
    'storage/sqlite/copy-worker.js',
    'storage/wal/checkpoint-worker.js',
    'server/pictures/decoder.js'
  ],
  commands: filesIn('scripts/commands', 'scripts/commands/user').filter(
    name => !/\/(?:serve|check-config)\.js$/.test(name)
  )
}
/** Libraries that are loaded from their own files: those with native code, and TypeBox, which later modules import, too. */
const outside = [/^typebox(?:\/|$)/, /^better-sqlite3$/, /^@node-rs\//]

/** Stands before the name of a file from `dist`, until it is known from where that is meant. */
const mark = 'coffer-dist:'
const marked = new RegExp(`(["'\`])${mark}([^"'\`]+)\\1`, 'g')

const imported = /^(?:import|export)\s(?:[^'"();]*?\sfrom\s+)?'(\.[^']+)'/gm

const modules = reachedFrom(service)
const reached = Object.entries(others).map(([part, names]) => ({ part, files: reachedFrom(names) }))
/** All parts: each may import those before it. */
const order = [...Object.keys(others), 'storage', 'core', 'transports', 'server', 'scripts']

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
      input: Object.fromEntries([...modules].map(file => [nameOf(file).replace(/\.js$/, ''), file])),
      // Some libraries call it.
      checks: { eval: false },
      output: {
        comments: { legal: true, annotation: true, jsdoc: false },
        entryFileNames: '[name].js',
        chunkFileNames: 'parts/[name].js',
        minifyInternalExports: false,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: partOf, debugName: 'parts' }]
        }
      }
    }
  }
})

/** All modules that are loaded with some of ours, statically. */
function reachedFrom(names) {
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

/** Path of one of our modules, from `dist`. */
function nameOf(file) {
  return relative(dist, file).split(sep).join('/')
}

/** The modules in some folders. */
function filesIn(...folders) {
  return folders.flatMap(folder =>
    readdirSync(join(dist, folder))
      .filter(name => name.endsWith('.js'))
      .map(name => `${folder}/${name}`)
  )
}

/** The part that a module is put into. Libraries are beside the first that needs them. */
function partOf(id, graph) {
  if (modules.has(id)) return ownPartOf(id)
  const part = order.find(each => importersOf(id, graph).has(each))
  return part in others ? `${part}-libraries` : 'libraries'
}

function ownPartOf(file) {
  const [room] = nameOf(file).split('/')
  return reached.find(({ files }) => files.has(file))?.part ?? (room === 'schemas' ? 'storage' : room)
}

/** The parts that import a module of a library, by way of others or not. */
function importersOf(id, graph, seen = new Set([id])) {
  const { dynamicImporters, importers } = graph.getModuleInfo(id)
  const found = new Set()
  for (const importer of [...importers, ...dynamicImporters]) {
    if (modules.has(importer)) found.add(ownPartOf(importer))
    else if (!seen.has(importer))
      for (const part of importersOf(importer, graph, seen.add(importer))) found.add(part)
  }
  return found
}

/** Our modules come with their sources' lines. Where they ask for their own place, they are told what it was. */
function load(id) {
  if (!modules.has(id)) return null
  const place = JSON.stringify(mark + nameOf(id))
  const code = readFileSync(id, 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
  return { code, map: readFileSync(`${id}.map`, 'utf8') }
}

/** What is imported later, and what is outside, is not put in. */
function resolveId(target, from, { kind }) {
  if (outside.some(pattern => pattern.test(target))) return { id: target, external: true }
  if (from === undefined || !modules.has(from)) return null
  if (!target.startsWith('.')) return kind === 'dynamic-import' ? { id: target, external: true } : null
  const file = join(dirname(from), target)
  if (modules.has(file)) return file
  if (!existsSync(file)) throw new Error(`${nameOf(from)} imports ${target}, which is not there`)
  return { id: mark + nameOf(file), external: true }
}

/**
 * Tells where other files are from here: a part that would have one module only stays in the place of that. Escapes what is not
 * ASCII: with any letter beyond Latin-1, V8 keeps a source in two bytes for each of its letters, 3 MB more.
 * Lines of libraries' sources are of no use to anybody.
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
    if (!file.name.endsWith('libraries')) continue
    delete files[`${name}.map`]
    file.code = file.code.replace(/^\/\/# sourceMappingURL=.*$/m, '')
  }
}
