/** Exports and imports are streamed: an account may be larger than the machine's memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { coffer, type Client, type Service } from '../support/coffer.js'
import { commandProcess } from '../support/command.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const MiB = 1024 * 1024
/** Size of an account's rows, and of its files: each is more than a process may use here. */
const rows = 32 * MiB
const file = 96 * MiB
/** Memory of Node.js, a command and pending chunks, in KiB; half is used at start, with the test runner's part. */
const most = 185 * 1024
/** The same for the entire service. */
const mostOfService = 220 * 1024

const peak = new URL('../support/peak.js', import.meta.url).href
/** Prints the peak, with a small heap, so that garbage is collected early. */
const optionsOf = (heap: number): Record<string, string> => ({
  NODE_OPTIONS: `--max-old-space-size=${heap} --max-semi-space-size=1 --import=${peak}`
})

function peakIn(errors: string): number {
  return Number(/peak (\d+)/.exec(errors)?.[1] ?? NaN)
}

/** Fills an account whose user has signed in today, by the clock of other processes. */
async function filled(service: Service): Promise<Client> {
  service.clock.advance(Date.now() / 1000 - service.clock.now())
  const daisy = await service.user('daisy')
  await daisy.stream('diary')
  const content = 'lorem ipsum '.repeat(8 * 1024)
  const calls = Array.from({ length: 8 }, () => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content }
  }))
  for (let size = 0; size < rows; size += calls.length * content.length) await daisy.do('callBatch', calls)
  const { id } = await daisy.event()
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(file)]), 'large.bin')
  await daisy.http('POST', `/events/${id}`, form)
  return daisy
}

t.test('a large account', { skip: !existsSync('/proc/self/status') && 'needs /proc' }, async t => {
  const service = await coffer(t)
  const daisy = await filled(service)
  const at = t.testdir()
  const dataDir = `--dataDir=${service.directory}`
  const zip = join(at, 'daisy.zip')
  const commands = [
    [],
    [
      ['backup', join(at, 'backup'), dataDir],
      ['restore', join(at, 'backup'), `--dataDir=${join(at, 'restored')}`],
      ['check', `--dataDir=${join(at, 'restored')}`]
    ],
    [
      ['export', 'daisy', zip, dataDir],
      ['import', zip, `--dataDir=${join(at, 'imported')}`]
    ]
  ]
  const isShort = process.env['COFFER_TEST_LONG'] !== '1'
  const chosen = rotate(t, commands).flat()
  for (const args of chosen)
    t.test(`is streamed by coffer ${args[0]}`, async t => {
      const { code, errors } = await commandProcess(args, { env: optionsOf(40) })
      t.equal(code, 0, errors)
      t.ok(peakIn(errors) < most, `${peakIn(errors)} KiB`)
    })

  t.test(
    'is streamed by GET /account/export',
    { skip: isShort && chosen.length > 0 && 'not its turn' },
    async t => {
      await service.server.close()
      const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
      const child = spawn(process.execPath, [coffer, 'serve', '--port=0', dataDir], {
        env: { ...process.env, ...optionsOf(64) }
      })
      t.teardown(() => child.kill('SIGKILL'))
      const errors = text(child.stderr)
      const lines = createInterface({ input: child.stdout })
      const ended = once(child, 'close').then(async () => Promise.reject(new Error(await errors)))
      ended.catch(() => undefined)
      const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
      const { url } = JSON.parse(line) as { url: string }
      const headers = { authorization: daisy.token }
      for (const form of rotate(t, ['archive', 'folder'])) {
        const { body } = await fetch(`${url}/daisy/account/export?form=${form}`, { headers })
        let size = 0
        for await (const chunk of body!) size += chunk.length
        t.ok(size > file, form)
      }
      child.kill('SIGTERM')
      t.ok(peakIn(await errors) < mostOfService, `${peakIn(await errors)} KiB`)
    }
  )
})
