/** The client as a package: installed in an empty project, its types, in Node and in Chromium, and its size. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { build } from 'vite'
import { packageDirectory } from '../../core/version.js'
import { startBrowser, visit } from '../support/browser.js'
import { coffer } from '../support/coffer.js'

const run = promisify(execFile)
/** Largest permitted size of the whole package, minified and compressed, in bytes. */
const mostBytes = 10 * 1024

async function npm(cwd: string, ...args: string[]): Promise<string> {
  return (await run('npm', [...args, '--offline', '--no-audit', '--no-fund'], { cwd })).stdout
}

t.test('the package', async t => {
  const project = mkdtempSync(join(tmpdir(), 'coffer-client-'))
  t.teardown(() => rmSync(project, { recursive: true }))
  const packed = await npm(join(packageDirectory, 'client'), 'pack', '--json', '--pack-destination', project)
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }]
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  // As npm installs a package without dependencies, in half of the time.
  const installed = join(project, 'node_modules', '@coffer', 'client')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(project, filename), '-C', installed, '--strip-components=1'])
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const endpoint = `${server.url.replace('//', `//${alice.token}@`)}/alice/`

  await t.test('contains only the required files', async t => {
    const kinds = new Set(files.map(({ path }) => path.replace(/^dist\/.*?(\.d\.ts|\.js)$/, 'dist/*$1')))
    t.same([...kinds].toSorted(), ['LICENSE', 'README.md', 'dist/*.d.ts', 'dist/*.js', 'package.json'])
    const own = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>
    const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as {
      version: string
    }
    t.equal(own['version'], version)
    const named = Object.keys(own).filter(name => /dependencies$/i.test(name) && name !== 'devDependencies')
    t.same(named, [], 'it needs no other packages')
  })

  await t.test('can be imported in Node', async t => {
    writeFileSync(
      join(project, 'main.js'),
      `import { Coffer, readEvents } from '@coffer/client'
       const coffer = new Coffer(process.argv[2])
       await coffer.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'from a project' })
       for await (const { content } of readEvents(coffer)) console.log(content)`
    )
    t.equal((await run(process.execPath, ['main.js', endpoint], { cwd: project })).stdout, 'from a project\n')
  })

  await t.test(
    'is typed: the compiler rejects what the server would refuse',
    async t => await typed(t, project)
  )

  await t.test('is small, and smaller if only part of it is imported', async t => {
    const whole = await sizeOf(project, `export * from '@coffer/client'`)
    t.comment(`all of it: ${whole} bytes, minified and compressed`)
    t.ok(whole <= mostBytes, `${whole} of ${mostBytes} bytes`)
    const part = await sizeOf(project, `export { Coffer } from '@coffer/client'`)
    t.comment(`calls and batches: ${part} bytes`)
    t.ok(part < whole / 2, `${part} bytes`)
  })

  await t.test('can be imported in Chromium by a page of another origin', async t => {
    const page = await visit(await startBrowser(t))
    await page.goto(await served(t, installed))
    const told = await page.evaluate<Record<string, unknown>>(`(${inBrowser})(${JSON.stringify(endpoint)})`)
    t.match(told, {
      created: 'from a page',
      refused: 'unknown-resource',
      listed: 300,
      hasWebSocket: true,
      heard: 'eventsChanged',
      called: 'personal',
      size: 500_000,
      isWholeSent: true,
      streamed: 3000,
      read: 500_000,
      aborted: 'enough',
      points: [{ deltaTime: 1, value: 61 }]
    })
  })
})

/** Code that runs in the page. */
const inBrowser = `async endpoint => {
  const { addPoints, addAttachments, Coffer, createEvent, readAttachment, readEvents, readPoints, Socket } =
    await import('/index.js')
  const coffer = new Coffer(endpoint)
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'from a page' }
  const { event } = await coffer.call('events.create', note)
  const refused = await coffer.call('events.getOne', { id: 'nowhere' }).catch(error => error.id)
  await coffer.batch(Array.from({ length: 299 }, () => ({ method: 'events.create', params: note })))
  let listed = 0
  for await (const { content } of readEvents(coffer, { types: ['note/txt'] })) listed += content === note.content && 1 || 0
  const sockets = []
  class Seen extends WebSocket {
    constructor(url) {
      super(url)
      sockets.push(this)
    }
  }
  const socket = new Socket(coffer, { WebSocket: Seen })
  const heard = new Promise(resolve => socket.on('eventsChanged', () => resolve('eventsChanged')))
  await new Promise(resolve => socket.on('open', resolve))
  const { type: called } = await socket.call('getAccessInfo')
  await socket.call('events.create', note)
  const file = { fileName: 'large.bin', content: new Blob([new Uint8Array(500_000)]) }
  const steps = []
  const { event: made } = await createEvent(coffer, { streamIds: ['diary'], type: 'file/attached' }, [file], {
    onProgress: (sent, total) => steps.push(sent / total)
  })
  const stream = new Blob([new Uint8Array(3000)]).stream()
  const { event: more } = await addAttachments(coffer, made.id, [{ fileName: 'stream.bin', content: stream }])
  const answer = await readAttachment(coffer, made.id, made.attachments[0].id)
  const gone = new AbortController()
  const sending = addAttachments(coffer, made.id, [file], { signal: gone.signal })
  gone.abort(new Error('enough'))
  const aborted = await sending.catch(error => error.message)
  const { event: holder } = await coffer.call('events.create', { streamIds: ['diary'], type: 'series:mass/kg' })
  await addPoints(coffer, holder.id, [{ deltaTime: 0, value: 60 }, { deltaTime: 1, value: 61 }])
  const points = []
  for await (const point of readPoints(coffer, holder.id, { fromDeltaTime: 1, toDeltaTime: 2 })) points.push(point)
  const told = {
    created: event.content, refused, listed, hasWebSocket: sockets.length === 1, heard: await heard, called,
    size: made.attachments[0].size, isWholeSent: steps.at(-1) === 1,
    streamed: more.attachments[1].size, read: (await answer.blob()).size, aborted, points
  }
  socket.close()
  return told
}`

/** Serves a page and the modules of the package. */
async function served(t: Test, installed: string): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const file = join(installed, 'dist', url)
    if (url === '/')
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>')
    else if (!url.endsWith('.js') || !existsSync(file)) response.writeHead(404).end()
    else response.setHeader('content-type', 'text/javascript').end(readFileSync(file))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Returns the size of a bundled module, minified and compressed, in bytes. */
async function sizeOf(project: string, source: string): Promise<number> {
  const entry = join(project, 'entry.js')
  writeFileSync(entry, source)
  const built = await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict' }
    }
  })
  const { output } = built as { output: readonly { readonly code?: string }[] }
  return gzipSync(output.map(({ code = '' }) => code).join('\n'), { level: 9 }).length
}

/** A program in which lines that end in `// refused` must not compile, and all others must. */
const program = `
  import { Coffer, CofferError, methodsOf, readPoints, Socket, type Event, type Params, type Result } from '@coffer/client'

export const coffer = new Coffer('https://token@example.com/daisy/')
const { events } = await coffer.call('events.get', { streams: ['weight'], limit: 1 })
export const time: number = events[0]!.time
export const wrongTime: string = events[0]!.time // refused
await coffer.call('events.get')
await coffer.call('events.get', { streams: { any: ['weight'], not: ['health'] } })
await coffer.call('events.get', { streams: { every: ['weight'] } }) // refused
await coffer.call('events.get', { limt: 1 }) // refused
await coffer.call('events.get', { limit: '1' }) // refused
await coffer.call('events.list') // refused
await coffer.call('events.getOne') // refused
await coffer.call('events.create', { streamIds: ['weight'], type: 'mass/kg', content: 1, description: undefined })
await coffer.call('events.create', { streamIds: ['weight'] }) // refused
await coffer.call('events.create', { type: 'mass/kg', created: 1 }) // refused
await coffer.call('streams.update', { id: 'weight', update: { name: 1 } }) // refused
await coffer.call('hfs.add', { id: 'series', format: 'flatJSON', fields: ['deltaTime'], points: [[1]] })
await coffer.call('hfs.add', { id: 'series', format: 'json', fields: ['deltaTime'], points: [[1]] }) // refused
const [made, tree] = await coffer.batch([
  { method: 'events.create', params: { type: 'mass/kg' } },
  { method: 'streams.get' }
])
export const id = made.event.id // refused
if (!(made instanceof CofferError) && !(tree instanceof CofferError)) {
  const event: Event = made.event
  const name: string = tree.streams[0]!.name
  const none = made.streams // refused
  console.log(event, name, none)
}
await coffer.batch([{ method: 'events.getOne' }]) // refused
const { streams } = methodsOf(coffer)
await streams.create({ id: 'weight', name: 'Weight' })
await streams.create({ id: 'weight' }) // refused
await streams.grow({}) // refused
for await (const { deltaTime, value } of readPoints<{ value: number }>(coffer, 'series')) console.log(deltaTime + value)
const socket = new Socket(coffer)
socket.on('notificationsChanged', ({ keys }) => keys.length)
socket.on('notesChanged', () => undefined) // refused
export const params: Params<'events.delete'> = { id: 'any' }
export const result: Result<'auth.login'> = { mfaToken: 'any' }
`

async function typed(t: Test, project: string): Promise<void> {
  writeFileSync(join(project, 'program.ts'), program)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.asynciterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: []
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin',
    'tsc'
  )
  const { stdout } = await run(process.execPath, [compiler, '--pretty', 'false'], { cwd: project }).catch(
    (error: unknown) => error as { stdout: string }
  )
  const refused = new Set(
    Array.from(stdout.matchAll(/^(.*?)\((\d+),/gm), ([, file, line]) => `${file}:${line}`)
  )
  const expected = program
    .split('\n')
    .flatMap((line, index) => (line.endsWith('// refused') ? [`program.ts:${index + 1}`] : []))
  t.same([...refused].toSorted(), expected.toSorted(), stdout)
}
