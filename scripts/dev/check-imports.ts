/** Checks who imports whom: the rooms of the house, the libraries of each room, no cycles. (README, Rooms) */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import { packageDirectory } from '../../core/version.js'

interface Room {
  /** Rooms whose values may be imported. */
  readonly rooms: readonly string[]
  /** Rooms of which types may be imported. */
  readonly types?: readonly string[]
  /** Single files whose values may be imported. */
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
    libraries: words(
      'typebox accepts koa @koa/router pino ipaddr.js engine.io socket.io socket.io-parser ws busboy sharp prom-client swagger-ui-dist yazl'
    )
  }
}

/** Node's own modules that rooms must do without. */
const closedModules: Readonly<Record<string, readonly string[]>> = {
  schemas: ['http', 'https', 'net', 'fs', 'worker_threads'],
  core: ['http', 'https', 'net', 'http2'],
  storage: ['http', 'https', 'net', 'http2']
}

/** They put the service together, so they see every room. */
const compositionRoots = new Set(['server/server.ts', 'server/backend.ts', 'server/engine.ts'])
const freeRooms = new Set(['scripts', 'test'])

interface Import {
  readonly from: string
  readonly to: string
  readonly isType: boolean
}

const statements =
  /^(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?'([^']+)'|(?:\bimport|\bresolve)\(\s*'([^']+)'\s*\)/gm

const files = ['schemas', 'storage', 'core', 'transports', 'scripts', 'test', 'web'].flatMap(sourcesOf)
const imports = files.flatMap(importsOf)
const problems = [...imports.flatMap(problemsOf), ...cyclesOf(imports)]
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${imports.length} imports, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1

function sourcesOf(room: string): string[] {
  try {
    return readdirSync(join(packageDirectory, room), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.c?tsx?$/.test(name))
      .map(name => `${room}/${name.split(sep).join('/')}`)
  } catch {
    return []
  }
}

function importsOf(from: string): Import[] {
  const text = readFileSync(join(packageDirectory, from), 'utf8')
  return Array.from(text.matchAll(statements), ([, type, named, dynamic]) => {
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

function problemsOf({ from, to, isType }: Import): string[] {
  const room = from.split('/')[0]!
  if (freeRooms.has(room) || compositionRoots.has(from)) return []
  const says = (what: string): string[] => [`${from} imports ${to}: ${what}`]
  if (room === 'web') return to.startsWith('web/') || to.split('/')[0] === 'preact' ? [] : says('not in web')
  const rules = house[room]!
  if (to.startsWith('node:'))
    return closedModules[room]?.includes(to.slice(5).split('/')[0]!) ? says(`not in ${room}`) : []
  if (!files.includes(to)) {
    const library = to.split('/', to.startsWith('@') ? 2 : 1).join('/')
    return rules.libraries.includes(library) ? [] : says(`the library does not live in ${room}`)
  }
  const target = to.split('/')[0]!
  if (target === room) return room === 'transports' ? folderProblem(from, to, says) : []
  if (rules.rooms.includes(target) || rules.files?.includes(to)) return []
  if (isType && rules.types?.includes(target)) return []
  return says(`${room} may not import ${rules.types?.includes(target) ? 'values of ' : ''}${target}`)
}

function words(text: string): string[] {
  return text.split(' ')
}

/** A transport never looks into another's folder. */
function folderProblem(from: string, to: string, says: (what: string) => string[]): string[] {
  const folder = dirname(to)
  // `websocket.ts` is the front of `websocket/`.
  return folder === 'transports' ||
    from === `${folder}.ts` ||
    folder === dirname(from) ||
    !relative(folder, from).startsWith('..')
    ? []
    : says('a transport does not look into another one')
}

/** Cycles of imports that exist when the program runs; types are gone by then. */
function cyclesOf(all: readonly Import[]): string[] {
  const next = new Map<string, string[]>()
  for (const { from, to, isType } of all) if (!isType) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
      return
    }
    if (done.has(file)) return
    for (const target of next.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return found
}
