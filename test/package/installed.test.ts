/** The Debian package and the image, installed on bare systems, used and removed. Both contain the executable. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { makeDeb } from '../../scripts/package/deb.js'
import { makeExecutable } from '../../scripts/package/executable.js'
import { packageDirectory, version } from '../../core/version.js'
import { BareSystem, noBareSystem } from '../support/bare.js'
import { makeImage } from '../support/image.js'
import { start } from '../support/process.js'
import { useService } from '../support/using.js'

t.setTimeout(900_000)

const noDpkg = spawnSync('dpkg-deb', ['--version']).status === 0 ? false : 'dpkg is not installed'
const isLong = process.env['COFFER_TEST_LONG'] === '1'
const skip = noBareSystem || (isLong ? false : 'it takes a minute: npm run test:long')

/** Programs of the smallest Debian system. */
const debian = ['/bin/sh', 'env', 'getent', 'groupadd', 'useradd', 'mkdir', 'chown', 'chmod', 'rm']

/** Returns what `dpkg-deb` reports about a package. */
function ask(...args: string[]): string {
  return spawnSync('dpkg-deb', args, { encoding: 'utf8' }).stdout
}

function debianSystem(t: Test): BareSystem {
  const system = BareSystem.make(t, ...debian)
  for (const name of ['cache', 'lib']) mkdirSync(system.at(`/var/${name}`), { recursive: true })
  // System files for accounts, as tools expect them.
  for (const [name, text] of [
    ['nsswitch.conf', 'passwd: files\ngroup: files\n'],
    ['login.defs', 'SYS_UID_MIN 100\nSYS_UID_MAX 999\nSYS_GID_MIN 100\nSYS_GID_MAX 999\n'],
    ['shadow', 'root:*:1::::::\n'],
    ['gshadow', 'root:*::\n']
  ] as const)
    writeFileSync(system.at(`/etc/${name}`), text)
  return system
}

t.test('packages', { skip }, async t => {
  const folder = t.testdir()
  const executable = join(folder, 'coffer')
  makeExecutable(executable)

  t.test('the Debian package', { skip: noDpkg }, async t => {
    const deb = join(folder, 'coffer.deb')
    makeDeb(executable, deb, 'none')
    const system = debianSystem(t)
    const admin = '/var/lib/dpkg'
    for (const name of ['info', 'updates', 'triggers'])
      mkdirSync(system.at(`${admin}/${name}`), { recursive: true })
    for (const name of ['status', 'available']) writeFileSync(system.at(`${admin}/${name}`), '')
    const dpkg = (...args: string[]): string => {
      const options = {
        encoding: 'utf8' as const,
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
      }
      // Its dependencies were copied, not installed.
      const all = [`--root=${system.root}`, '--force-depends', ...args]
      const { status, stderr, stdout } = spawnSync('dpkg', all, options)
      t.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`)
      return stdout + stderr
    }
    const coffer = (...args: string[]): ReturnType<BareSystem['run']> => {
      const passwd = readFileSync(system.at('/etc/passwd'), 'utf8')
      const [, uid = '', gid = ''] = /^coffer:x:(\d+):(\d+):/m.exec(passwd) ?? []
      return system.run(['/usr/bin/coffer', ...args], { HOME: '/root' }, `${uid}:${gid}`)
    }

    t.test('is well-formed', async t => {
      t.match(
        ask('--field', deb),
        new RegExp(`Package: coffer\nVersion: ${version}\nArchitecture: \\w+\nMaintainer: .+ <.+@.+>`)
      )
      t.ok(
        ask('--field', deb, 'Description')
          .split('\n')
          .every(line => line.length <= 80)
      )
      t.match(ask('--field', deb, 'Depends'), /^libc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6,/)
      const lines = ask('--contents', deb).trim().split('\n')
      t.ok(
        lines.every(line => / root\/root /.test(line)),
        'all belong to root'
      )
      t.notOk(
        lines.some(line => /^...s|^......s|^.{8}w/.test(line)),
        'none is setuid, or for all to write'
      )
      for (const path of [
        'usr/bin/coffer',
        'etc/coffer/coffer.yaml',
        'usr/share/doc/coffer/copyright',
        'usr/share/doc/coffer/changelog.gz',
        'usr/lib/systemd/system/coffer.service'
      ])
        t.ok(
          lines.some(line => line.endsWith(` ./${path}`)),
          path
        )
      t.equal(ask('--info', deb, 'conffiles'), '/etc/coffer/coffer.yaml\n')
      for (const name of ['postinst', 'prerm', 'postrm']) {
        const script = join(packageDirectory, 'deploy', 'deb', name)
        t.equal(spawnSync('sh', ['-n', script]).status, 0, name)
        t.match(readFileSync(script, 'utf8'), /^#!\/bin\/sh\n.*\nset -e\n/s)
      }
    })

    t.test('is installed, used, upgraded and removed', async t => {
      t.match(dpkg('--install', deb), 'coffer setup-link --config /etc/coffer/coffer.yaml')
      const data = statSync(system.at('/var/lib/coffer'))
      const settings = statSync(system.at('/etc/coffer/coffer.yaml'))
      t.same([data.mode & 0o777, settings.mode & 0o777], [0o700, 0o640])
      t.not(data.uid, 0)
      t.same([settings.uid, settings.gid], [0, data.gid])
      t.match(coffer('--version'), { status: 0, output: version })
      t.match(coffer('setup-link', '--config', '/etc/coffer/coffer.yaml'), {
        status: 0,
        output: /http:\/\/127\.0\.0\.1:3000\/\S+#/
      })
      const unit = readFileSync(system.at('/usr/lib/systemd/system/coffer.service'), 'utf8')
      const [, command = ''] = /^ExecStart=coffer (.*)$/m.exec(unit) ?? []
      // As systemd starts it.
      const cache = system.at('/var/cache/coffer')
      mkdirSync(cache, { mode: 0o700 })
      chownSync(cache, data.uid, data.gid)
      const words = [
        'env',
        '-i',
        'CACHE_DIRECTORY=/var/cache/coffer',
        '/usr/bin/coffer',
        ...command.split(' ')
      ]
      const program = system.args([...words, '--port=0'], `${data.uid}:${data.gid}`)
      const running = await start(t, undefined, 'unshare', program)
      await useService(t, running.url)
      t.match(await running.stop('SIGTERM'), { status: 0 })
      t.equal(statSync(system.at('/var/lib/coffer/data/platform.sqlite')).uid, data.uid)

      appendFileSync(system.at('/etc/coffer/coffer.yaml'), '# mine\n')
      t.notMatch(dpkg('--install', deb), 'setup-link')
      t.match(readFileSync(system.at('/etc/coffer/coffer.yaml'), 'utf8'), '# mine\n')
      t.match(coffer('check', '--config', '/etc/coffer/coffer.yaml'), { status: 0, output: '1 account: ' })
      dpkg('--remove', 'coffer')
      t.notOk(existsSync(system.at('/usr/bin/coffer')))
      t.ok(existsSync(system.at('/etc/coffer/coffer.yaml')))
      t.match(dpkg('--purge', 'coffer'), 'still in /var/lib/coffer')
      t.notOk(existsSync(system.at('/etc/coffer')))
      t.ok(existsSync(system.at('/var/lib/coffer/data/platform.sqlite')), "people's data stay")
    })
  })

  t.test('the image', async t => {
    const system = debianSystem(t)
    const text = readFileSync(join(packageDirectory, 'deploy', 'Dockerfile'), 'utf8')
    const image = makeImage(system, text, { '/coffer': executable })
    t.match(image, {
      command: ['coffer', 'serve'],
      user: '1000:1000',
      volumes: ['/data', '/backup'],
      folder: '/data'
    })
    for (const path of image.volumes) t.match(statSync(system.at(path)), { uid: 1000, gid: 1000 })
    const unpacked = readdirSync(system.at('/var/cache/coffer'))
    t.equal(unpacked.length, 1)
    const env = Object.entries(image.env).map(([name, value]) => `${name}=${value}`)
    const inside = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', ...env]
    const running = await start(
      t,
      undefined,
      'unshare',
      system.args([...inside, ...image.command, '--port=0'], image.user)
    )
    await useService(t, `http://127.0.0.1:${new URL(running.url).port}`)
    const health = system.run(
      [...inside, ...image.health, `--port=${new URL(running.url).port}`],
      {},
      image.user
    )
    t.equal(health.status, 0, health.output)
    t.match(await running.stop('SIGTERM'), { status: 0 })
    t.same(readdirSync(system.at('/var/cache/coffer')), unpacked)
    t.match(system.run([...inside, 'coffer', 'backup', '/backup'], {}, image.user), {
      status: 0,
      output: '1 account'
    })
  })
})
