/**
 * Checks imports, including those of types: which rooms and libraries a room may import, the order of core's rooms, no circular
 * imports, and their grouping. Also checks the sizes of folders and files. (docs/architecture.md)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

interface Room {
  /** Rooms that may be imported. */
  readonly rooms: readonly string[]
  /** Rooms whose types may be imported. */
  readonly types?: readonly string[]
  /** Rooms that may be loaded when they are needed, by `import()`. */
  readonly onDemand?: readonly string[]
  /** Files of other rooms whose values may be imported. */
  readonly files?: readonly string[]
  readonly libraries: readonly string[]
}

const house: Readonly<Record<string, Room>> = {
  schemas: { rooms: [], libraries: ['typebox'] },
  storage: { rooms: ['schemas'], libraries: ['better-sqlite3', 's3mini'] },
  imports: { rooms: [], libraries: ['yauzl'] },
  core: {
    rooms: ['schemas'],
    types: ['storage', 'imports'],
    files: ['storage/errors.ts', 'storage/scheduler.ts', 'storage/steps.ts'],
    libraries: words(
      'typebox ajv ajv-formats croner nanoid slug yaml undici ipaddr.js @node-rs/argon2 @node-rs/bcrypt ' +
        'otpauth qrcode nodemailer openid-client @simplewebauthn/server'
    )
  },
  transports: {
    rooms: ['core', 'schemas'],
    files: ['storage/scheduler.ts', 'storage/steps.ts'],
    libraries: words(
      'typebox accepts koa @koa/router ipaddr.js engine.io socket.io socket.io-parser ws busboy swagger-ui-dist yazl ' +
        '@modelcontextprotocol/server'
    )
  },
  cluster: {
    rooms: ['storage', 'schemas'],
    types: ['core'],
    // The only room that may reach the engine: its clients belong here.
    libraries: ['@nats-io/transport-node']
  },
  server: {
    rooms: ['transports', 'core', 'storage', 'schemas'],
    types: ['imports', 'cluster'],
    onDemand: ['cluster'],
    libraries: words('pino prom-client sharp')
  },
  // Its types are generated from the definitions of the methods: nothing of the service is imported.
  client: { rooms: [], libraries: [] },
  web: {
    rooms: ['client'],
    files: ['schemas/zones.ts', 'core/json/canonical.ts'],
    libraries: words('preact uqr pmtiles @mapbox/vector-tile pbf')
  }
}
/** Rooms that may import every room. */
const freeRooms = new Set(['scripts', 'test'])

/** Built-in modules that a room must not import. */
const closedModules: Readonly<Record<string, readonly string[]>> = {
  schemas: ['http', 'https', 'net', 'fs', 'worker_threads'],
  core: ['http', 'https', 'net', 'http2'],
  storage: ['http', 'https', 'net', 'http2'],
  imports: ['http', 'https', 'net', 'http2'],
  // Runs in browsers.
  client: builtinModules
}

/** Core's rooms and loose files from the bottom up: each may import those listed before it. */
const coreOrder = words(
  'truncate-text.ts errors.ts version.ts time.ts log.ts ids.ts system-ids.ts audit-ids.ts changes.ts parse-url.ts redirect-uri.ts ip-range.ts ' +
    'validation json permissions settings envelope.ts integrity.ts event-types security outgoing previews ' +
    'service-info.ts unknown-user.ts call ' +
    'auth account streams sign-in identities accesses oauth events notifications registration platform series audit exports ' +
    'dispatch imports methods'
)

/** What stands in no room of the web, at its top. */
const loose = 'loose files'
/** The pages of the app, each a room that no list names: they do not import each other. */
const page = 'a page'
/** The web's rooms and loose files from the bottom up: each may import those of its own line and of those before it. */
const webOrder: readonly (readonly string[])[] = [
  [loose, 'worker', 'parts'],
  ['sign-in'],
  words('app/route.ts app/texts.ts app/pages.ts app/worker.ts app/data app/parts app/shell/adding.ts'),
  ['app/lanes'],
  ['app/shell'],
  // Its forms and values are shown on other pages, too.
  ['app/events'],
  [page],
  words('app/guest app/app.tsx operator'),
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
  /** Whether it is loaded when it is needed: so does the shell load pages, which stand above it. */
  readonly isLazy: boolean
}

const statements =
  /^(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?'([^']+)'|(?:\bimport|\bresolve)\(\s*'([^']+)'\s*\)/gm

const files = [...Object.keys(house), ...freeRooms].flatMap(sourcesOf)
const imports = files.flatMap(importsOf)
const problems = [
  ...imports.flatMap(problemsOf),
  ...circlesOf(imports),
  ...fullFolders(),
  ...files.flatMap(lengthProblem),
  ...files.flatMap(orderProblem)
]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function sourcesOf(room: string): string[] {
  return readdirSync(join(packageDirectory, room), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.c?tsx?$/.test(name) && !name.split(sep).includes('dist'))
    .map(name => `${room}/${name.split(sep).join('/')}`)
}

function textOf(file: string): string {
  return readFileSync(join(packageDirectory, file), 'utf8')
}

function importsOf(from: string): Import[] {
  return Array.from(textOf(from).matchAll(statements), ([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const to = target.startsWith('.') ? sourceOf(normalize(join(dirname(from), target))) : target
    return { from, to, isType: type !== undefined, isLazy: named === undefined }
  })
}

/** The path of the source of a compiled file. */
function sourceOf(path: string): string {
  const compiled = path.split(sep).join('/')
  const source = compiled.replace(/\.(c?)js$/, '.$1ts')
  return files.includes(`${source}x`) ? `${source}x` : source
}

/** Problems of an import, with the rule that it breaks. */
function problemsOf({ from, to, isType, isLazy }: Import): string[] {
  const room = from.split('/')[0]!
  if (freeRooms.has(room)) return []
  const problem = (rule: string): string[] => [`${from} imports ${to}: ${rule}`]
  const { files: single, libraries, onDemand, rooms, types } = house[room]!
  if (to.startsWith('node:'))
    return closedModules[room]?.includes(to.slice(5).split('/')[0]!) ? problem(`not in ${room}`) : []
  if (!files.includes(to)) {
    // Assets of the room.
    if (to.startsWith(`${room}/`)) return []
    const library = to.split('/', to.startsWith('@') ? 2 : 1).join('/')
    return libraries.includes(library) ? [] : problem(`${room} may not use this library`)
  }
  const target = to.split('/')[0]!
  if (target === room && room === 'web') return isLazy ? [] : webProblem(from, to, problem)
  if (target === room) return innerProblem(room, from, to, problem)
  if (rooms.includes(target) || single?.includes(to)) return []
  if (isType && types?.includes(target)) return []
  if (isLazy && onDemand?.includes(target)) return []
  return problem(`${room} may not import ${types?.includes(target) ? 'values of ' : ''}${target}`)
}

/** The rules within a room: core's rooms have an order, and a transport does not import another. */
function innerProblem(room: string, from: string, to: string, problem: (rule: string) => string[]): string[] {
  const [inner, target] = [from, to].map(file => file.split('/')[1]!) as [string, string]
  if (inner === target) return []
  if (room === 'transports')
    return target.endsWith('.ts') || target === apiDescription
      ? []
      : problem('a transport may not import another one')
  if (room !== 'core') return []
  const [place, below] = [inner, target].map(name => coreOrder.indexOf(name)) as [number, number]
  if (place < 0 || below < 0)
    return problem(`core/${place < 0 ? inner : target} is missing from the order of core's rooms`)
  return below < place ? [] : problem(`core/${target} is above core/${inner}`)
}

/** The rules within the web: its rooms have an order, and pages do not import each other. */
function webProblem(from: string, to: string, problem: (rule: string) => string[]): string[] {
  const [room, target] = [from, to].map(webRoom) as [string, string]
  if (room === target) return []
  const [place, below] = [room, target].map(webPlace) as [number, number]
  if (below > place) return problem(`${target} is above ${room}`)
  return below === webPlace(page) && below === place ? problem('a page may not import another one') : []
}

/** `app/data` for `web/app/data/tree.ts`; files that the order names, and those of the app itself, stand alone. */
function webRoom(file: string): string {
  const [, ...path] = file.split('/')
  const name = path.join('/')
  if (webOrder.flat().includes(name)) return name
  return path.length === 1 ? loose : path.slice(0, path[0] === 'app' ? 2 : 1).join('/')
}

function webPlace(room: string): number {
  const place = webOrder.findIndex(line => line.includes(room))
  return place < 0 ? webOrder.findIndex(line => line.includes(page)) : place
}

/** Circular imports between files, and between the rooms within a room. */
function circlesOf(all: readonly Import[]): string[] {
  const own = all.filter(({ from, to }) => files.includes(to) && !from.startsWith('test/'))
  const between = own
    .map(({ from, to }) => ({ from: innerRoom(from), to: innerRoom(to) }))
    .filter(({ from, to }) => from !== to)
  return [...circles(own), ...circles(between)]
}

/** `storage/wal` for `storage/wal/sync.ts`; a loose file is its own room. */
function innerRoom(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

function circles(edges: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) found.push(`circle: ${[...path.slice(path.indexOf(node)), node].join(' → ')}`)
    else if (!done.has(node)) {
      for (const target of next.get(node) ?? []) visit(target, [...path, node])
      done.add(node)
    }
  }
  for (const node of next.keys()) visit(node, [])
  return found
}

/** Folders with too many files. Tests are exempt, since they mirror the rooms. */
function fullFolders(): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > maxFiles && !folder.startsWith('test'))
    .map(([folder, count]) => `${folder} holds ${count} files: split it, the limit is ${maxFiles}`)
}

function lengthProblem(file: string): string[] {
  if (file.startsWith('test/')) return []
  const lines = textOf(file).split('\n').length - 1
  return lines > maxLines ? [`${file} has ${lines} lines: split it, the limit is ${maxLines}`] : []
}

/** Built-in modules come first, then libraries, then our own files; imports for side effects may be anywhere. */
function orderProblem(file: string): string[] {
  const groups = Array.from(textOf(file).matchAll(/^import\s[^'"()]+'([^']+)'/gm), ([, target = '']) =>
    target.startsWith('node:') ? 0 : target.startsWith('.') ? 2 : 1
  )
  const isInOrder = groups.every((group, i) => i === 0 || groups[i - 1]! <= group)
  return isInOrder
    ? []
    : [`${file} mixes its imports: built-in modules come first, then libraries, then our own files`]
}

function words(text: string): string[] {
  return text.split(' ')
}
