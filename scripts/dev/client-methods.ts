/**
 * Generates the types of `client/src/methods` from the definitions of the methods: params, results, summaries, and which calls can
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { format, type FormatConfig } from 'oxfmt'
import type { AnyMethod } from '../../core/call/method.js'
import { methods } from '../../core/methods/index.js'
import { packageDirectory } from '../../core/version.js'
import { serviceRoutes, userRoutes } from '../../transports/http/routes.js'
import { getNamedTypes, toType } from './client-types.js'

/** The folder of the generated files. */
export const clientMethodsFolder = join(packageDirectory, 'client', 'src', 'methods')

/** Resources whose methods are in the file of another resource. */
const sharedFiles: Readonly<Record<string, string>> = {
  callBatch: 'service',
  getAccessInfo: 'accesses',
  hfs: 'series',
  mfa: 'auth',
  previews: 'events',
  profile: 'account',
  registration: 'auth',
  sessions: 'auth',
  users: 'account',
  webhooks: 'channels'
}

/** Things that the methods of one file are about: they are in that file. */
const ownNouns: Readonly<Record<string, readonly string[]>> = { rules: ['Condition', 'PublicRule'] }

/** Params that schemas leave to the method, because their errors differ. */
const ownParams: Readonly<Record<string, string>> = {
  'auth.emailCheckPost': '{ readonly email?: string | undefined }',
  'auth.register':
    '{ readonly appId: string; readonly username: string; readonly password: string; readonly [field: string]: unknown }',
  'auth.usernameCheckPost': '{ readonly username?: string | undefined }',
  'hfs.add': '{ readonly id: string } & FlatPoints',
  'hfs.addBatch':
    "{ readonly format: 'seriesBatch'; readonly data: readonly { readonly eventId: string; readonly data: FlatPoints }[] }",
  'sharedSecrets.create':
    "{ readonly ttl: number; readonly title: string; readonly onConsumed: { readonly message: string; readonly returnUrl?: string | undefined }; readonly secret: unknown; readonly signature?: { readonly type: 'secret' | 'hmac-sha256'; readonly value: string } | undefined; readonly keyHash?: string | undefined }",
  'sharedSecrets.getOne': '{ readonly key: string }',
  'sharedSecrets.retrieve':
    "{ readonly key: string; readonly signature?: { readonly type: 'secret' | 'hmac-sha256'; readonly payload: string } | undefined }"
}

/** Types that are not generated, and their files. */
const handwrittenTypes = { FlatPoints: 'flat-points', StreamsQuery: 'streams-query' }

/** Methods that are idempotent, although their HTTP verb does not say so. */
const idempotentByPost: ReadonlySet<string> = new Set(['hfs.add', 'hfs.addBatch', 'sharedSecrets.getOne'])

const note = '// Generated from the definitions of the methods: do not edit. `npm run document` writes it.'

/** Generates the files. Returns their texts by name. */
export async function generateClientFiles(): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, AnyMethod[]>()
  for (const method of methods) {
    const name = getGroup(method.id)
    groups.set(name, [...(groups.get(name) ?? []), method])
  }
  const names = [...groups.keys()].toSorted()
  const texts = new Map([
    ['nouns.ts', formatNouns()],
    ['index.ts', formatIndex(names)],
    ['repeatable.ts', formatRepeatable()],
    ...[...groups].map(([name, group]) => [`${toFileName(name)}.ts`, formatGroup(name, group)] as const)
  ])
  const options = JSON.parse(await readFile(join(packageDirectory, '.oxfmtrc.json'), 'utf8')) as FormatConfig
  const formatted = Array.from(texts, async ([name, text]) => {
    const { code, errors } = await format(name, text, options)
    if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join(', ')}`)
    return [name, code] as const
  })
  return new Map(await Promise.all(formatted))
}

function getGroup(id: string): string {
  const [resource = ''] = id.split('.')
  return sharedFiles[resource] ?? resource
}

function toFileName(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function toInterfaceName(name: string): string {
  return `${name[0]!.toUpperCase()}${name.slice(1)}Methods`
}

function formatNouns(): string {
  const own = new Set(Object.values(ownNouns).flat())
  const types = listNouns(name => !own.has(name))
  return [
    '/** The things that methods are about. Times are in seconds, sizes in bytes. */',
    note,
    importHandwritten(types.join('\n')).join('\n'),
    ...types
  ].join('\n\n')
}

function listNouns(isListed: (name: string) => boolean): string[] {
  return [...getNamedTypes()].flatMap(([name, type]) =>
    isListed(name) ? [`export type ${name} = ${type}`] : []
  )
}

function formatIndex(names: readonly string[]): string {
  const imports = names.map(
    name => `import type { ${toInterfaceName(name)} } from './${toFileName(name)}.js'`
  )
  return [
    '/** All methods by their ids. */',
    note,
    ...imports,
    '',
    `export interface Methods extends ${names.map(toInterfaceName).join(', ')} {}`
  ].join('\n')
}

/** Formats the file of a group of methods, with the imports that its types need. */
function formatGroup(name: string, group: readonly AnyMethod[]): string {
  const members = group.map(
    ({ id, params, result, summary }) =>
      `/** ${summary}. */\n'${id}': { params: ${ownParams[id] ?? toType(params as object, 'params')}; result: ${toType(result, 'result')} }`
  )
  const body = `export interface ${toInterfaceName(name)} {\n${members.join('\n')}\n}`
  const words = new Set(body.replaceAll(/\/\*\*.*?\*\/|'[^']*'/g, '').match(/\w+/g))
  const own = ownNouns[name] ?? []
  const used = [...getNamedTypes().keys()].filter(noun => words.has(noun) && !own.includes(noun))
  return [
    `/** Params and results of methods: ${group
      .map(({ id }) => id.split('.')[0]!)
      .filter(isFirst)
      .join(', ')}. */`,
    note,
    ...(used.length === 0 ? [] : [`import type { ${used.join(', ')} } from './nouns.js'`]),
    ...importHandwritten(body),
    '',
    ...listNouns(noun => own.includes(noun)),
    body
  ].join('\n')
}

function importHandwritten(body: string): string[] {
  return Object.entries(handwrittenTypes).flatMap(([type, file]) =>
    body.includes(type) ? [`import type { ${type} } from '../${file}.js'`] : []
  )
}

function isFirst(value: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(value) === index
}

/**
 * Generates the pattern of idempotent calls: reads, and writes whose routes use PUT. Most are recognised by their names, which takes
 * less space than a list.
 */
function formatRepeatable(): string {
  const ids = methods.map(({ id }) => id).filter(id => idempotentByPost.has(id) || isIdempotentByVerb(id))
  const misnamed = methods.filter(({ id }) => byName.test(id) && !ids.includes(id))
  if (misnamed.length > 0)
    throw new Error(`Not a read or an update: ${misnamed.map(({ id }) => id).join(', ')}`)
  const others = ids.filter(id => !byName.test(id)).map(id => id.replaceAll('.', '\\.'))
  return [
    '/** Ids of the methods whose calls can be repeated without further effect. */',
    note,
    `export const repeatable = /${byName.source}|^(?:${others.join('|')})$/`
  ].join('\n')
}

/** Matches ids of reads and updates. */
const byName = /^(?:\w+\.)?(?:get|update)\w*$/

function isIdempotentByVerb(id: string): boolean {
  const routes = [...userRoutes, ...serviceRoutes].filter(({ method }) => method === id)
  return routes.length > 0 && routes.every(({ verb }) => verb === 'GET' || verb === 'PUT')
}
