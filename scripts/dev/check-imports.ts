/**
 * Checks imports, including those of types: which modules and libraries a module may import, the order of core's modules, circular
 * imports, and their grouping. Also checks the sizes of folders and files. (docs/architecture.md)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

interface Module {
  /** Modules that may be imported. */
  readonly modules: readonly string[]
  /** Modules whose types may be imported. */
  readonly types?: readonly string[]
  /** Modules that may be loaded on demand, with `import()`. */
  readonly onDemand?: readonly string[]
  /** Files of other modules whose values may be imported. */
  readonly files?: readonly string[]
  readonly libraries: readonly string[]
}

const moduleRules: Readonly<Record<string, Module>> = {
  schemas: { modules: [], libraries: ['typebox'] },
  storage: { modules: ['schemas'], libraries: ['better-sqlite3', 's3mini'] },
  imports: { modules: [], libraries: ['yauzl'] },
  core: {
    modules: ['schemas'],
    types: ['storage', 'imports'],
    files: [
      'storage/errors.ts',
      'storage/scheduler.ts',
      'storage/steps.ts',
      'imports/formats/clinical/fhir-times.ts',
      'imports/pipeline/lane-key.ts',
      'imports/pipeline/point-rows.ts',
      'imports/pipeline/record-ids.ts'
    ],
    libraries: splitWords(
      'typebox ajv ajv-formats croner nanoid slug yaml undici ipaddr.js @node-rs/argon2 @node-rs/bcrypt ' +
        'otpauth qrcode nodemailer openid-client jose @simplewebauthn/server web-push hyparquet-writer'
    )
  },
  transports: {
    modules: ['core', 'imports', 'schemas'],
    files: ['storage/scheduler.ts', 'storage/steps.ts'],
    libraries: splitWords(
      'typebox accepts koa @koa/router ipaddr.js engine.io socket.io socket.io-parser ws busboy swagger-ui-dist yazl ' +
        '@modelcontextprotocol/server tweetnacl @lezer/common @prometheus-io/lezer-promql re2js ical-generator'
    )
  },
  cluster: {
    modules: ['storage', 'schemas'],
    types: ['core'],
    // The only module that may connect to the engine.
    libraries: ['@nats-io/transport-node']
  },
  server: {
    modules: ['transports', 'core', 'storage', 'schemas'],
    types: ['imports', 'cluster'],
    onDemand: ['cluster'],
    libraries: splitWords('pino prom-client sharp')
  },
  // Its types are generated from the definitions of the methods, so it imports nothing of the service.
  client: { modules: [], libraries: [] },
  web: {
    modules: ['client'],
    files: [
      'schemas/zones.ts',
      'schemas/units.ts',
      'schemas/measures/goals.ts',
      'schemas/measures/measure.ts',
      'core/json/canonical.ts'
    ],
    libraries: splitWords('preact uqr pmtiles @mapbox/vector-tile pbf world-atlas')
  }
}
/** Modules that may import every module. */
const freeModules = new Set(['scripts', 'test'])

/** Built-in modules of Node that a module must not import. */
const closedModules: Readonly<Record<string, readonly string[]>> = {
  schemas: ['http', 'https', 'net', 'fs', 'worker_threads'],
  core: ['http', 'https', 'net', 'http2'],
  storage: ['http', 'https', 'net', 'http2'],
  imports: ['http', 'https', 'net', 'http2'],
  // Runs in browsers.
  client: builtinModules
}

/** Core's modules and loose files from the bottom up: each may import what is listed before it. */
const coreOrder = splitWords(
  'truncate-text.ts errors.ts version.ts time.ts log.ts ids.ts cmc-ids.ts system-ids.ts access-ids.ts audit-ids.ts changed-item.ts path-trie.ts changes.ts parse-url.ts redirect-uri.ts ip-range.ts bech32.ts ' +
    'validation json permissions settings envelope.ts integrity.ts event-types security outgoing previews ' +
    'service-info.ts unknown-user.ts call timers ' +
    'auth account streams sign-in identities accesses oauth receipts shared-secrets events notifications registration platform series audit measures exports ' +
    'dispatch forms cmc channels mirrors rules letters reminders imports connections methods'
)

/** Files at the top of `web`. */
const loose = 'loose files'
/** A page of the app. Pages are modules that are not listed by name, and do not import each other. */
const page = 'a page'
/** The web's modules and loose files from the bottom up: each may import what is listed in its own line and in lines before it. */
const webOrder: readonly (readonly string[])[] = [
  [loose, 'worker', 'parts'],
  ['sign-in'],
  splitWords('app/route.ts app/texts.ts app/pages.ts app/worker.ts app/data app/parts app/shell/adding.ts'),
  ['app/lanes'],
  ['app/shell'],
  // Other pages show the forms and values of the first, the choice of the second, and what is due of the third.
  ['app/events'],
  ['app/channels'],
  ['app/reminders'],
  [page],
  splitWords('app/guest app/app.tsx operator'),
  ['app/main.tsx']
]

/** The transport that describes the API, which other transports may import. */
const apiDescription = 'openapi'

/** Limits: files per folder, lines per file. */
const maxFiles = 25
const maxLines = 300

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
  /** True for imports on demand: the shell loads pages on demand, although pages are above the shell. */
  readonly isLazy: boolean
}

const statements =
  /^(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?'([^']+)'|(?:\bimport|\bresolve)\(\s*'([^']+)'\s*\)/gm

const files = [...Object.keys(moduleRules), ...freeModules].flatMap(listSources)
const imports = files.flatMap(parseImports)
const problems = [
  ...imports.flatMap(checkImport),
  ...findCircularImports(imports),
  ...checkFolderSizes(),
  ...files.flatMap(checkLength),
  ...files.flatMap(checkImportOrder)
]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function listSources(module: string): string[] {
  return readdirSync(join(packageDirectory, module), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.c?tsx?$/.test(name) && !name.split(sep).includes('dist'))
    .map(name => `${module}/${name.split(sep).join('/')}`)
}

function readSource(file: string): string {
  return readFileSync(join(packageDirectory, file), 'utf8')
}

function parseImports(from: string): Import[] {
  return Array.from(readSource(from).matchAll(statements), ([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const to = target.startsWith('.') ? toSource(normalize(join(dirname(from), target))) : target
    return { from, to, isType: type !== undefined, isLazy: named === undefined }
  })
}

/** Returns the path of the source of a compiled file. */
function toSource(path: string): string {
  const compiled = path.split(sep).join('/')
  const source = compiled.replace(/\.(c?)js$/, '.$1ts')
  return files.includes(`${source}x`) ? `${source}x` : source
}

/** Returns the problem of an import, with the rule that it breaks. */
function checkImport({ from, to, isType, isLazy }: Import): string[] {
  const module = from.split('/')[0]!
  if (freeModules.has(module)) return []
  const problem = (rule: string): string[] => [`${from} imports ${to}: ${rule}`]
  const { files: single, libraries, onDemand, modules, types } = moduleRules[module]!
  if (to.startsWith('node:'))
    return closedModules[module]?.includes(to.slice(5).split('/')[0]!) ? problem(`not in ${module}`) : []
  if (!files.includes(to)) {
    // Assets of the module.
    if (to.startsWith(`${module}/`)) return []
    const library = to.split('/', to.startsWith('@') ? 2 : 1).join('/')
    return libraries.includes(library) ? [] : problem(`${module} may not use this library`)
  }
  const target = to.split('/')[0]!
  if (target === module && module === 'web') return isLazy ? [] : checkWebImport(from, to, problem)
  if (target === module) return checkInnerImport(module, from, to, problem)
  if (modules.includes(target) || single?.includes(to)) return []
  if (isType && types?.includes(target)) return []
  if (isLazy && onDemand?.includes(target)) return []
  return problem(`${module} may not import ${types?.includes(target) ? 'values of ' : ''}${target}`)
}

/** Checks an import within a module: core's modules have an order, and transports do not import each other. */
function checkInnerImport(
  module: string,
  from: string,
  to: string,
  problem: (rule: string) => string[]
): string[] {
  const [inner, target] = [from, to].map(file => file.split('/')[1]!) as [string, string]
  if (inner === target) return []
  if (module === 'transports')
    return target.endsWith('.ts') || target === apiDescription
      ? []
      : problem('a transport may not import another one')
  if (module !== 'core') return []
  const [place, below] = [inner, target].map(name => coreOrder.indexOf(name)) as [number, number]
  if (place < 0 || below < 0)
    return problem(`core/${place < 0 ? inner : target} is missing from the order of core's modules`)
  return below < place ? [] : problem(`core/${target} is above core/${inner}`)
}

/** Checks an import within the web: its modules have an order, and pages do not import each other. */
function checkWebImport(from: string, to: string, problem: (rule: string) => string[]): string[] {
  const [module, target] = [from, to].map(getWebModule) as [string, string]
  if (module === target) return []
  const [place, below] = [module, target].map(getWebOrder) as [number, number]
  if (below > place) return problem(`${target} is above ${module}`)
  return below === getWebOrder(page) && below === place ? problem('a page may not import another one') : []
}

/** Returns `app/data` for `web/app/data/tree.ts`. Files listed in the order, and those of the app itself, stand alone. */
function getWebModule(file: string): string {
  const [, ...path] = file.split('/')
  const name = path.join('/')
  if (webOrder.flat().includes(name)) return name
  return path.length === 1 ? loose : path.slice(0, path[0] === 'app' ? 2 : 1).join('/')
}

function getWebOrder(module: string): number {
  const place = webOrder.findIndex(line => line.includes(module))
  return place < 0 ? webOrder.findIndex(line => line.includes(page)) : place
}

/** Returns circular imports between files, and between the submodules of a module. */
function findCircularImports(all: readonly Import[]): string[] {
  const own = all.filter(({ from, to }) => files.includes(to) && !from.startsWith('test/'))
  const between = own
    .map(({ from, to }) => ({ from: getSubmodule(from), to: getSubmodule(to) }))
    .filter(({ from, to }) => from !== to)
  return [...findCycles(own), ...findCycles(between)]
}

/** Returns `storage/wal` for `storage/wal/sync.ts`, and the path of a loose file. */
function getSubmodule(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

/** Returns a description of each cycle of imports. */
function findCycles(edges: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) found.push(`cycle: ${[...path.slice(path.indexOf(node)), node].join(' → ')}`)
    else if (!done.has(node)) {
      for (const target of next.get(node) ?? []) visit(target, [...path, node])
      done.add(node)
    }
  }
  for (const node of next.keys()) visit(node, [])
  return found
}

/** Returns folders with too many files. Tests are exempt, because they mirror the modules, and so are generated files. */
function checkFolderSizes(): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > maxFiles && !/^(?:test|client\/src\/methods$)/.test(folder))
    .map(([folder, count]) => `${folder} has ${count} files: split it, the limit is ${maxFiles}`)
}

function checkLength(file: string): string[] {
  if (/^(?:test|client\/src\/methods)\//.test(file)) return []
  const lines = readSource(file).split('\n').length - 1
  return lines > maxLines ? [`${file} has ${lines} lines: split it, the limit is ${maxLines}`] : []
}

/** Checks that built-in modules come first, then libraries, then our own files. Imports for side effects may be anywhere. */
function checkImportOrder(file: string): string[] {
  const groups = Array.from(readSource(file).matchAll(/^import\s[^'"()]+'([^']+)'/gm), ([, target = '']) =>
    target.startsWith('node:') ? 0 : target.startsWith('.') ? 2 : 1
  )
  const isInOrder = groups.every((group, i) => i === 0 || groups[i - 1]! <= group)
  return isInOrder
    ? []
    : [`${file} mixes its imports: built-in modules come first, then libraries, then our own files`]
}

function splitWords(text: string): string[] {
  return text.split(' ')
}
