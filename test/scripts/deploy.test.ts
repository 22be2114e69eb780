/** The samples in `deploy/`: each is validated with its tool, if that is installed. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { loadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { packageDirectory } from '../../core/version.js'

const folder = join(packageDirectory, 'deploy')

t.setTimeout(900_000)

function sample(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Returns why a tool cannot be run; `false` if it can. */
function missing(tool: string, ...version: string[]): string | false {
  return spawnSync(tool, version).status === 0 ? false : `${tool} is not installed`
}

/** Returns a tool's output about a file; empty if it finds no error. */
function complaint(tool: string, ...args: string[]): string {
  const { status, stderr, stdout } = spawnSync(tool, args, { encoding: 'utf8' })
  return status === 0 ? '' : stdout + stderr
}

t.test('deploy/', async t => {
  t.test('coffer.yaml contains only existing settings', async t => {
    const argv = ['--config', join(folder, 'coffer.yaml')]
    const load = (): Settings => loadSettings({ argv, env: {}, cwd: t.testdir() })
    t.throws(load, /adminKey .* must be replaced[^\n]*\n- registration\.invitationTokens .* must be replaced/)
    argv.push('--adminKey=key of the operator', '--registration.invitationTokens=welcome')
    const { http, publicUrl } = load()
    t.equal(publicUrl, 'https://coffer.example.net')
    t.same(http.trustedProxies, ['127.0.0.1', '::1'])
  })

  t.test('compose.yaml sets only existing settings', async t => {
    const { services } = parse(sample('compose.yaml')) as {
      services: Record<string, { environment: Record<string, string> }>
    }
    // As Compose replaces the variables of its own environment.
    const env = Object.fromEntries(
      Object.entries(services['coffer']!.environment).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\w+:\?[^}]*\}/g, 'from the environment')
      ])
    )
    const { http } = loadSettings({
      argv: [],
      env: { ...env, COFFER_PUBLIC_URL: 'https://a.example' },
      cwd: t.testdir()
    })
    t.same(http.trustedProxies, ['172.30.30.0/24'])
  })

  t.test('Dockerfile builds the executable, and does not run as root', async t => {
    const text = sample('Dockerfile')
    t.match(text, /^USER coffer$/m)
    t.match(text, /^HEALTHCHECK /m)
    const { scripts } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [, name = ''] of text.matchAll(/npm run (\S+)/g)) t.ok(scripts[name], name)
  })

  for (const name of ['Caddyfile', join('cluster', 'Caddyfile')])
    t.test(`${name} is valid`, { skip: missing('caddy', 'version') }, async t => {
      t.equal(complaint('caddy', 'validate', '--adapter', 'caddyfile', '--config', join(folder, name)), '')
    })

  t.test(
    'nginx.conf is valid',
    { skip: missing('nginx', '-v') || missing('openssl', 'version') },
    async t => {
      const at = t.testdir()
      const [key, certificate] = [join(at, 'key.pem'), join(at, 'certificate.pem')]
      const subject = ['-subj', '/CN=coffer.example.net', '-keyout', key, '-out', certificate]
      t.equal(
        complaint('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject),
        ''
      )
      const site = sample('nginx.conf')
        .replace(/ssl_certificate .*/, `ssl_certificate ${certificate};`)
        .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${key};`)
        .replace('/var/log/nginx/coffer.log', join(at, 'access.log'))
        .replaceAll(/listen .*:(?:80|443).*/g, '')
        .replace('listen 80;', 'listen 58080;')
        .replace('listen 443', 'listen 58443')
      writeFileSync(join(at, 'site.conf'), site)
      const main = `pid ${at}/nginx.pid;\nerror_log ${at}/error.log;\nevents {}\nhttp { include ${at}/site.conf; }\n`
      writeFileSync(join(at, 'nginx.conf'), main)
      t.equal(complaint('nginx', '-t', '-c', join(at, 'nginx.conf')), '')
    }
  )

  const units = ['coffer.service', join('cluster', 'nats-server.service')]
  const programs = /ExecStart=(?:coffer|nats-server)/
  const noSystemd = missing('systemd-analyze', '--version')

  for (const name of units)
    t.test(`${name} is valid`, { skip: noSystemd }, async t => {
      const file = join(t.testdir(), basename(name))
      writeFileSync(file, sample(name).replace(programs, `ExecStart=${process.execPath}`))
      t.equal(complaint('systemd-analyze', 'verify', file), '')
    })

  t.test('coffer.service permits writing backups to the documented place', async t => {
    const text = readFileSync(join(packageDirectory, 'docs', 'deployment.md'), 'utf8')
    const [, place = ''] = /^backup:\n {2}to: (\S+)$/m.exec(text) ?? []
    t.match(place, /^\//)
    t.match(text, `install -d -o coffer -m 700 ${place}\n`)
    t.ok(sample('coffer.service').split('\n').includes(`ReadWritePaths=-${place}`))
  })

  t.test('cluster/coffer.conf extends coffer.service', { skip: noSystemd }, async t => {
    const unit = sample('coffer.service').replace(programs, `ExecStart=${process.execPath}`)
    const at = t.testdir({
      'coffer.service': unit,
      'coffer.service.d': { 'cluster.conf': sample(join('cluster', 'coffer.conf')) },
      'nats-server.service': sample(join('cluster', 'nats-server.service')).replace(
        programs,
        `ExecStart=${process.execPath}`
      )
    })
    t.equal(complaint('systemd-analyze', 'verify', join(at, 'coffer.service')), '')
  })

  for (const name of units)
    t.test(`${name} sandboxes its program`, { skip: noSystemd }, async t => {
      // Of 100: what remains is the network, and memory for just-in-time compilation.
      const args = ['security', '--offline=true', '--threshold=15', join(folder, name)]
      t.equal(complaint('systemd-analyze', ...args), '')
    })
})
