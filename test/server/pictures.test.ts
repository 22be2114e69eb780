/** Images are decoded in separate processes: their memory use and crashes do not affect the service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { PictureProcesses } from '../../server/pictures/renderer.js'
import { ServerProcess } from '../durability/server-process.js'
import type { Answer } from '../support/coffer.js'
import { interlaced, lookAt, noPictures, picture } from '../support/pictures.js'
import { inRotation, rotate } from '../support/rotation.js'

const mebibyte = 1024 * 1024
const limits = { maxPixels: 64_000_000, maxMemory: 512 * mebibyte }
const noLinux = platform() === 'linux' ? false : 'how much memory was taken is told by Linux only'

t.setTimeout(900_000)

/** Returns the peak memory of a process in bytes. */
function peakOf(pid: number | 'self'): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`)
  const texts = threads.map(thread => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'))
  return texts.flatMap(text => text.split(' ').filter(Boolean).map(Number))
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function* inPieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Returns what a separate process that runs this code prints, or the signal that ended it and its process group. */
async function runApart(code: string, openFiles: number, ...options: string[]): Promise<string> {
  const [shell, node] = [`ulimit -n ${openFiles}; exec "$@"`, [process.execPath, ...options]]
  const args = ['-c', shell, 'sh', ...node, '--input-type=module', '-e', code]
  // A separate process group: signals sent to the group must not reach the tests.
  const child = spawn('sh', args, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', text => (said += text))
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal ?? said
}

const rendererUrl = new URL('../../server/pictures/renderer.js', import.meta.url).href

/** Returns code that measures an image, and runs `before` first. */
const measured = (before: string): string => `
  import { openSync, closeSync } from 'node:fs'
  import { PictureProcesses } from ${JSON.stringify(rendererUrl)}
  const renderer = new PictureProcesses(${JSON.stringify(limits)}, 20)
  const files = []
  ${before}
  async function* pieces() { yield Buffer.from('no picture') }
  const answer = await renderer.measure(pieces()).then(() => 'measured', error => error.id + ' ' + error.status)
  for (const file of files) closeSync(file)
  const next = await renderer.measure(pieces()).then(() => 'measured', error => error.id + ' ' + error.status)
  console.log(answer + ', ' + next)
  renderer.close()`

const noShell = platform() === 'win32' ? 'limits are set by a shell' : false

t.test('reports a failure to start an image process', { skip: noPictures || noShell }, async t => {
  const [none, then] = ['api-unavailable 503', 'corrupted-data 422']
  const isFull = 'try { for (;;) files.push(openSync("/dev/null")) } catch {}'
  const isGone = "process.execPath = '/nowhere/node'"
  const reasons: [string, number, string][] = [
    // The service continues, and succeeds later.
    [isFull, 60, `${none}, ${then}\n`],
    [isGone, 200, `${none}, ${none}\n`]
  ]
  for (const [before, openFiles, said] of rotate(t, reasons))
    t.equal(await runApart(measured(before), openFiles), said)
})

t.test('an image process does not inherit settings or secrets', { skip: noPictures || noLinux }, async t => {
  const file = join(t.testdir({ env: 'SECRET_OF_FILE=much\n' }), 'env')
  const code = measured('').replace(
    'renderer.close()',
    `const { readFileSync } = await import('node:fs')
     const [child] = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ')
     console.log(readFileSync('/proc/' + child + '/cmdline', 'utf8').includes('env-file'))
     renderer.close()`
  )
  t.match(
    await runApart(code, 200, `--env-file=${file}`),
    /\nfalse\n$/,
    'no settings, and no secrets in them'
  )
})

async function* broken(): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.alloc(1000)
  throw new Error('the disk is broken')
}

t.test('an image that needs too much memory does no harm', { skip: noPictures || noLinux }, async t => {
  const service = await ServerProcess.start(join(t.testdir(), 'data'))
  t.teardown(() => service.kill())
  const post = async (path: string, body: FormData | object, authorization = ''): Promise<Answer> => {
    const isForm = body instanceof FormData
    const type: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' }
    const headers = { origin: service.url, authorization, ...type }
    const sent = isForm ? body : JSON.stringify(body)
    return await (await fetch(service.url + path, { method: 'POST', headers, body: sent })).json()
  }
  const account = { appId: 'a-test', username: 'carol', password: 'pictures, bad', email: 'c@example.com' }
  await post('/users', account)
  const { token } = await post('/carol/auth/login', account)
  await post('/carol/streams', { id: 'diary', name: 'Diary' }, token)
  const shown = async (bytes: Buffer): Promise<{ status: number; text: string }> => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'picture/attached' }))
    form.append('file', new Blob([new Uint8Array(bytes)]), 'picture')
    const { event } = await post('/carol/events', form, token)
    const response = await fetch(`${service.url}/carol/events/${event.id}.jpg?auth=${token}`)
    return { status: response.status, text: await response.text() }
  }
  const bomb = interlaced(8000, 8000)
  t.ok(bomb.length < mebibyte)
  t.match(await shown(await picture(600, 400)), { status: 200 })
  const before = peakOf(service.pid)
  t.match(await shown(bomb), { status: 422, text: /corrupted-data.*too much memory or time/ })
  const grown = (peakOf(service.pid) - before) / mebibyte
  t.ok(grown < 50, `${Math.round(grown)} MB more`)
  t.match(await shown(await picture(600, 400)), { status: 200 }, 'others are shown after it')
  const decoders = childrenOf(service.pid)
  t.ok(decoders.length > 0)
  await service.kill()
  for (let left = 200; decoders.some(isRunning) && left > 0; left--) await wait(50)
  t.notOk(decoders.some(isRunning), 'they end with a service that is killed')
})

t.test('an image process', { skip: noPictures }, async t => {
  const renderer = new PictureProcesses(limits)
  t.teardown(() => renderer.close())
  const large = interlaced(5000, 5000)
  const rarely = inRotation(t, 2)

  t.test('resizes images, and reports their dimensions', async t => {
    const red = await picture(600, 400)
    t.match(await lookAt(await renderer.render(inPieces(red), 'box-256')), { width: 256, height: 171 })
    t.match(await renderer.measure(inPieces(red)), { width: 600, height: 400 })
    const both = [renderer.render(inPieces(red), 'box-256'), renderer.measure(inPieces(red, 7))] as const
    t.match(await Promise.all(both), [Buffer, { width: 600 }], 'two at a time')
  })

  void rarely('accepts large images that fit into its memory', async t => {
    for (let n = 0; n < 2; n++)
      t.match(await lookAt(await renderer.render(inPieces(large), 'box-256')), { width: 256 })
  })

  void rarely('is killed when it takes too long', async t => {
    const hasty = new PictureProcesses(limits, 0.1)
    t.teardown(() => hasty.close())
    const before = performance.now()
    await t.rejects(hasty.render(inPieces(large), 'box-256'), {
      status: 422,
      message: /too much/
    })
    t.ok(performance.now() - before < 5000)
  })

  t.test('passes on errors of the source, and remains usable', async t => {
    for (let n = 0; n < 5; n++) {
      await t.rejects(renderer.measure(broken()), new Error('the disk is broken'))
      t.match(await renderer.measure(inPieces(await picture(20, 20))), { width: 20 })
    }
    t.match(await renderer.measure(inPieces(await picture(600, 400))), { width: 600 })
  })
})
