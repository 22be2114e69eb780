/**
 * Checks who imports whom, types counted: the rooms and their libraries, the order of core's rooms, no circles; and that no
 * folder and no file outgrows what one can take in. (docs/architecture.md)
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

interface Room {
  /** Rooms that may be imported. */
  readonly rooms: readonly string[]
  /** Rooms of which types may be imported. */
  readonly types?: readonly string[]
  /** Single files of those rooms whose values may be imported. */
  readonly files?: readonly string[]
  readonly libraries: readonly string[]
}

const house: Readonly<Record<string, Room>> = {
  schemas: { rooms: [], libraries: ['typebox'] },
  storage: { rooms: ['schemas'], libraries: ['better-sqlite3'] },
  core: {
    rooms: ['schemas'],
    types: ['storage'],
    files: ['storage/errors.ts', 'storage/steps.ts'],
    libraries: words(
      'typebox ajv ajv-formats nanoid slug yaml undici ipaddr.js @node-rs/argon2 @node-rs/bcrypt ' +
        'otpauth qrcode nodemailer'
    )
  },
  transports: {
    rooms: ['core', 'schemas'],
    files: ['storage/steps.ts'],
    libraries: words(
      'typebox accepts koa @koa/router ipaddr.js engine.io socket.io socket.io-parser ws busboy swagger-ui-dist yazl'
    )
  },
  server: {
    rooms: ['transports', 'core', 'storage', 'schemas'],
    libraries: words('pino prom-client sharp')
  },
  web: { rooms: [], libraries: ['preact'] }
}
/** They see every room. */
const freeRooms = new Set(['scripts', 'test'])

/** Node's own modules that rooms must do without. */
const closedModules: Readonly<Record<string, readonly string[]>> = {
  schemas: ['http', 'https', 'net', 'fs', 'worker_threads'],
  core: ['http', 'https', 'net', 'http2'],
  storage: ['http', 'https', 'net', 'http2']
}

/** Core's own rooms and loose files from the ground up: each may import those that stand before it. */
const coreOrder = words(
  'errors.ts version.ts time.ts log.ts ids.ts system-ids.ts audit-ids.ts changes.ts parsed-url.ts ip-range.ts short-text.ts ' +
    'validation json permissions settings envelope.ts integrity.ts event-types security outgoing previews ' +
    'service-info.ts unknown-user.ts call ' +
    'auth account streams sign-in accesses events notifications registration platform series audit ' +
    'dispatch methods'
)

/** The description of the API, which the transports show. */
const described = 'openapi'

/** Files in a folder, and lines in a file, at most. */
const mostFiles = 25
const mostLines = 300

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

const statements =
  /^(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?'([^']+)'|(?:\bimport|\bresolve)\(\s*'([^']+)'\s*\)/gm

const files = [...Object.keys(house), ...freeRooms].flatMap(sourcesOf)
const imports = files.flatMap(importsOf)
const problems = [
  ...imports.flatMap(problemsOf),
  ...circlesOf(imports),
  ...fullFolders(),
  ...files.flatMap(lengthProblem)
]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function sourcesOf(room: string): string[] {
  return readdirSync(join(packageDirectory, room), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.c?tsx?$/.test(name))
    .map(name => `${room}/${name.split(sep).join('/')}`)
}

function textOf(file: string): string {
  return readFileSync(join(packageDirectory, file), 'utf8')
}

function importsOf(from: string): Import[] {
  return Array.from(textOf(from).matchAll(statements), ([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const to = target.startsWith('.') ? sourceOf(normalize(join(dirname(from), target))) : target
    return { from, to, isType: type !== undefined }
  })
}

/** The source of a compiled file, by its path. */
function sourceOf(path: string): string {
  const compiled = path.split(sep).join('/')
  const source = compiled.replace(/\.(c?)js$/, '.$1ts')
  return files.includes(`${source}x`) ? `${source}x` : source
}

/** What is wrong with an import, naming the rule that it breaks. */
function problemsOf({ from, to, isType }: Import): string[] {
  const room = from.split('/')[0]!
  if (freeRooms.has(room)) return []
  const says = (rule: string): string[] => [`${from} imports ${to}: ${rule}`]
  const { files: single, libraries, rooms, types } = house[room]!
  if (to.startsWith('node:'))
    return closedModules[room]?.includes(to.slice(5).split('/')[0]!) ? says(`not in ${room}`) : []
  if (!files.includes(to)) {
    // Pictures and texts of a room's own.
    if (to.startsWith(`${room}/`)) return []
    const library = to.split('/', to.startsWith('@') ? 2 : 1).join('/')
    return libraries.includes(library) ? [] : says(`the library does not live in ${room}`)
  }
  const target = to.split('/')[0]!
  if (target === room) return innerProblem(room, from, to, says)
  if (rooms.includes(target) || single?.includes(to)) return []
  if (isType && types?.includes(target)) return []
  return says(`${room} may not import ${types?.includes(target) ? 'values of ' : ''}${target}`)
}

/** The rules within a room: core's rooms have an order, and a transport never looks into another one. */
function innerProblem(room: string, from: string, to: string, says: (rule: string) => string[]): string[] {
  const [inner, target] = [from, to].map(file => file.split('/')[1]!) as [string, string]
  if (inner === target) return []
  if (room === 'transports')
    return target.endsWith('.ts') || target === described
      ? []
      : says('a transport does not look into another one')
  if (room !== 'core') return []
  const [place, below] = [inner, target].map(name => coreOrder.indexOf(name)) as [number, number]
  if (place < 0 || below < 0)
    return says(`core/${place < 0 ? inner : target} has no place in the order of core's rooms`)
  return below < place ? [] : says(`core/${target} stands above core/${inner}`)
}

/** Circles of files, and of the rooms within a room. */
function circlesOf(all: readonly Import[]): string[] {
  const own = all.filter(({ from, to }) => files.includes(to) && !from.startsWith('test/'))
  const between = own
    .map(({ from, to }) => ({ from: innerRoom(from), to: innerRoom(to) }))
    .filter(({ from, to }) => from !== to)
  return [...circles(own), ...circles(between)]
}

/** `storage/wal` of `storage/wal/sync.ts`; a loose file stands for itself. */
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

/** Folders of more files than one can take in; tests and their support follow the rooms. */
function fullFolders(): string[] {
  const counts = new Map<string, number>()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([folder, count]) => count > mostFiles && !folder.startsWith('test'))
    .map(([folder, count]) => `${folder} holds ${count} files: more than ${mostFiles} is a warehouse`)
}

function lengthProblem(file: string): string[] {
  if (file.startsWith('test/')) return []
  const lines = textOf(file).split('\n').length - 1
  return lines > mostLines ? [`${file} has ${lines} lines: more than ${mostLines} is several things`] : []
}

function words(text: string): string[] {
  return text.split(' ')
}
