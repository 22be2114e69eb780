/** The executable on a system with only the C library: it runs, works and stops, and unpacks exactly its contents. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { listContents } from '../../scripts/package/contents.js'
import { makeExecutable } from '../../scripts/package/executable.js'
import { version } from '../../core/version.js'
import { BareSystem, noBareSystem } from '../support/bare.js'
import { treeOf } from '../support/forged-backup.js'
import { start } from '../support/process.js'
import { assertSame } from '../support/same.js'
import { rotate } from '../support/rotation.js'
import { until } from '../support/socket.js'
import { packages, useService } from '../support/using.js'

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** One in three short forms starts it twice at once. */
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)

t.setTimeout(900_000)

const isTurn = rotate(t, packages).includes('executable')

t.test('the executable', { skip: isTurn ? noBareSystem : 'not its turn' }, async t => {
  const system = BareSystem.make(t)
  const program = '/usr/bin/coffer'
  mkdirSync(system.at('/usr/bin'), { recursive: true })
  makeExecutable(system.at(program), 1)
  const unpacked = system.at('/root/.cache/coffer')
  const coffer = (...args: string[]): ReturnType<BareSystem['run']> =>
    system.run([program, ...args], { HOME: '/root' })
  const says = { status: 0, output: `${version}\n` }
  /** The unpacked files. */
  let whole: ReturnType<typeof treeOf> | undefined

  t.test('needs no other files, and unpacks correctly for concurrent starts', async t => {
    const several = isLong ? 4 : 1 + Number(seed % 3 === 0)
    const ends = await Promise.all(
      Array.from({ length: several }, async () => {
        const child = spawn('unshare', system.args([program, '--version']), {
          env: { ...process.env, HOME: '/root' },
          stdio: ['ignore', 'pipe', 'ignore']
        })
        const output = text(child.stdout)
        const [status] = (await once(child, 'exit')) as [number | null]
        return { status, output: await output }
      })
    )
    t.same(
      ends,
      ends.map(() => says)
    )
    const [folder = '', ...others] = readdirSync(unpacked)
    t.match(folder, /^[0-9a-f]{64}$/)
    t.same(others, [])
    const root = join(unpacked, folder)
    whole = treeOf(root)
    const contents = listContents().map(({ file, name }) => `${join(root, name)} ${sha256(file)}`)
    const own = join(root, 'import.cjs')
    const found = whole.filter(line => line.includes(' ') && !line.startsWith(own))
    assertSame(t, found, contents.toSorted(), 'exactly the contents')
    t.equal(statSync(join(unpacked, folder)).mode & 0o777, 0o700)
    for (const name of ['typescript', 'vite', 'tap', 'prebuild-install'])
      t.notOk(existsSync(join(unpacked, folder, 'node_modules', name)), name)
    t.notOk(existsSync(join(unpacked, folder, 'dist', 'test')))
    t.match(coffer('user', 'list'), { status: 1, output: 'folder not found' })
  })

  t.test('runs, also with threads, makes automatic backups, and stops', async t => {
    const running = await start(t, '/data', 'unshare', [
      ...system.args([program, 'serve', '--workers=1', '--backup.to=/backup', '--backup.verify=false'])
    ])
    await useService(t, running.url)
    await until(() => existsSync(system.at('/backup/manifest')), 'a backup')
    t.match(await running.stop('SIGTERM'), { status: 0 })
    t.match(coffer('check', '--dataDir=/data'), { status: 0, output: '1 account: ' })
  })

  t.test('repairs unpacked files', async t => {
    const [name = ''] = readdirSync(unpacked)
    const folder = join(unpacked, name)
    const at = (path: string): string => join(folder, path)
    const [open, foreign] = ['package.json', 'web/assets/icon-192.png'] as const
    const damages: readonly [string, () => void][] = [
      ['a file with more in it', () => appendFileSync(at('dist/scripts/cli.js'), 'process.exit(3)\n')],
      [
        'a file of the same length',
        () => writeFileSync(at('import.cjs'), 'x'.repeat(readFileSync(at('import.cjs')).length))
      ],
      ['a file that is gone', () => rmSync(at('web/assets/default.css'))],
      ['a file too many', () => writeFileSync(at('node_modules/bufferutil.js'), 'process.exit(4)')],
      [
        'a library too many',
        () => {
          mkdirSync(at('node_modules/bufferutil'))
          writeFileSync(at('node_modules/bufferutil/index.js'), 'process.exit(5)')
        }
      ],
      [
        'a link in place of a file',
        () => {
          renameSync(at('web/assets/favicon.ico'), system.at('/tmp/favicon.ico'))
          symlinkSync('/tmp/favicon.ico', at('web/assets/favicon.ico'))
        }
      ],
      [
        'a link in place of a folder',
        () => {
          renameSync(at('mail'), system.at('/tmp/mail'))
          symlinkSync('/tmp/mail', at('mail'))
        }
      ],
      [
        'a folder in place of a file',
        () => {
          rmSync(at('LICENSE'))
          mkdirSync(at('LICENSE/inside'), { recursive: true })
        }
      ],
      ['a file that others may write to', () => chmodSync(at(open), 0o666)],
      ['a file of somebody else', () => chownSync(at(foreign), 12_345, 12_345)]
    ]
    // Undetected damage stays even if others are repaired: only the long form tests each kind separately.
    const together: [string, () => void] = ['all at once', () => damages.forEach(([, damage]) => damage())]
    const nothing: [string, () => void] = ['nothing', () => rmSync(folder, { recursive: true })]
    for (const [what, damage] of isLong ? [...damages, together, nothing] : [together]) {
      damage()
      t.same(coffer('--version'), says, what)
      assertSame(t, treeOf(folder), whole, what)
      t.equal(statSync(at(open)).mode & 0o777, 0o600)
      t.equal(statSync(at(foreign)).uid, 0)
    }
    t.same(readdirSync(unpacked), [name], 'no draft is left')
  })

  t.test('refuses a folder that others can write to, in one line', async t => {
    for (const [name, mode, owner] of [
      ['shared', 0o777, 0],
      ['foreign', 0o700, 12_345]
    ] as const) {
      mkdirSync(system.at(`/${name}`))
      chmodSync(system.at(`/${name}`), mode)
      chownSync(system.at(`/${name}`), owner, owner)
      const { output, status } = system.run([program, '--version'], { COFFER_UNPACK_DIR: `/${name}` })
      t.equal(status, 1)
      t.match(output, /^The software could not be unpacked: .*COFFER_UNPACK_DIR\n$/)
    }
    writeFileSync(system.at('/file'), '')
    t.match(system.run([program, '--version'], { COFFER_UNPACK_DIR: '/file' }), {
      status: 1,
      output: /^The software could not be unpacked: .*\n$/
    })
    // The unpacked files of that folder are used: there are no others.
    mkdirSync(system.at('/else'))
    renameSync(unpacked, system.at('/else/where'))
    const elsewhere = system.run([program, 'check-config'], { COFFER_UNPACK_DIR: '/else/where' })
    t.equal(elsewhere.status, 0, elsewhere.output)
    t.notOk(existsSync(unpacked))
  })
})
