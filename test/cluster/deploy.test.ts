/** The samples of `deploy/cluster`: three servers accept the configuration, and nodes connect by the settings. */
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { packageDirectory } from '../../core/version.js'
import { findEngine } from '../../scripts/dev/fetch-engine.js'
import { command, commandProcess } from '../support/command.js'
import { start } from '../support/process.js'
import { rotate } from '../support/rotation.js'
import { EngineServers, until, type Member } from './engine-servers.js'

t.setTimeout(900_000)

const samples = join(packageDirectory, 'deploy', 'cluster')

function sample(name: string): string {
  return readFileSync(join(samples, name), 'utf8')
}

/** Creates the files of the configuration: an authority, a certificate for all three servers, and a password. */
function makeSecrets(folder: string, password: string): void {
  const openssl = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...curve, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt')
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'extendedKeyUsage=serverAuth,clientAuth']
  const names = ['-subj', '/CN=engine', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  openssl('req', '-x509', ...curve, ...signed, ...names, '-keyout', 'server.key', '-out', 'server.crt')
  writeFileSync(join(folder, 'client-password.conf'), `password: "${password}"\n`)
}

/** Returns the sample for a server on this machine, with its own ports. */
function configurationFor(secrets: string, member: Member, members: readonly Member[]): string {
  const route = (index: string): string => `localhost:${members[Number(index) - 1]!.routePort}`
  return sample('nats.conf')
    .replace(/^machine: .*/m, `machine: ${member.name}`)
    .replace(/^address: .*/m, 'address: 127.0.0.1')
    .replace('port: 4222', `port: ${member.port}`)
    .replace('http_port: 8222', `http_port: ${member.monitorPort}`)
    .replace('port: 6222', `port: ${member.routePort}`)
    .replaceAll(/n([123])\.internal:6222/g, (_, index: string) => route(index))
    .replace('/var/lib/nats', join(member.folder, 'data'))
    .replaceAll('/etc/nats', secrets)
}

/** Returns the port of a server, counted from 1. */
function portOf(urls: readonly string[], server: string): string {
  return new URL(urls[Number(server) - 1]!).port
}

/** Writes the sample settings for nodes on this machine. */
function settingsFor(folder: string, { monitors, urls }: EngineServers): string {
  const text = sample('coffer.yaml')
    .replaceAll('REPLACE', 'something long and random')
    .replaceAll(/n([123])\.internal:4222/g, (_, index: string) => `localhost:${portOf(urls, index)}`)
    .replaceAll(/n([123])\.internal:8222/g, (_, index: string) => `localhost:${portOf(monitors, index)}`)
    .replace('/etc/coffer/engine-password', join(folder, 'engine-password'))
    .replace('/var/lib/coffer/data', join(folder, 'data'))
    .replace('host: 10.0.0.1', 'host: 127.0.0.1')
    .replace('port: 9464', 'port: 0')
  const path = join(folder, 'coffer.yaml')
  writeFileSync(path, text)
  return path
}

t.test('nats.conf is accepted and makes a cluster that nodes can use', async t => {
  const folder = t.testdir({ 'engine-password': 'coffer:one:two\n', 'wrong-password': 'coffer:other\n' })
  makeSecrets(folder, 'one:two')
  const servers = await EngineServers.start(t, {
    configurationOf(member, members) {
      // Included files are resolved next to the file that includes them.
      cpSync(join(folder, 'client-password.conf'), join(member.folder, 'client-password.conf'))
      return configurationFor(folder, member, members)
    }
  })
  const config = settingsFor(folder, servers)
  const coffer = (...args: string[]): ReturnType<typeof commandProcess> =>
    commandProcess([...args, '--config', config], {
      cwd: folder,
      env: { NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') }
    })

  const checked = await command(['check-config', '--config', config])
  t.equal(checked.code, 0, checked.errors)
  const init = await coffer('cluster', 'init')
  t.equal(init.code, 0, `all streams of the usual sizes fit: ${init.errors}`)

  const status = await coffer('cluster', 'status')
  t.equal(status.code, 1, 'without a node there is something to be looked after')
  t.match(status.output, /^alert\tshards\tNo node serves shards 0, .*, 63\. Start nodes/m, status.errors)
  for (const credentials of rotate(t, [join(folder, 'wrong-password'), ''])) {
    const { code } = await coffer('cluster', 'status', `--cluster.engineCredentials=${credentials}`)
    t.not(code, 0, 'another password, or none')
  }
  const authority = `NODE_EXTRA_CA_CERTS=${join(folder, 'ca.crt')}`
  const serve = [process.execPath, join('dist', 'scripts', 'coffer.cjs'), 'serve', '--config', config]
  const node = await start(t, undefined, 'env', [authority, ...serve])
  await until('the node is ready', async () => (await fetch(`${node.url}/readyz`)).status === 200)
  // An alarm may remain while a server is still fetching its replica of a stream.
  await until('the node serves everybody, and all is well', async () => {
    const { code, output } = await coffer('cluster', 'status')
    return /^n1\talive\t.*\t64 shards/m.test(output) && code === 0
  })
  t.equal((await node.stop('SIGTERM')).status, 0)

  // This process doesn't trust the authority.
  const unknown = await command(['cluster', 'status', '--config', config])
  t.not(unknown.code, 0, 'without the authority')
})

t.test('nats.conf names files that must exist', async t => {
  const folder = t.testdir({})
  const file = join(folder, 'nats.conf')
  const members = ['n1', 'n2', 'n3'].map((name, index) => ({
    name,
    host: '127.0.0.1',
    command: [],
    folder,
    port: 4222,
    monitorPort: 8222,
    routePort: 6222 + index
  }))
  writeFileSync(file, configurationFor(folder, members[0]!, members))
  const check = [await findEngine(), '-t', '-c', file] as const
  t.throws(() => execFileSync(check[0], check.slice(1), { stdio: 'pipe' }), /client-password\.conf/)
  makeSecrets(folder, 'password')
  execFileSync(check[0], check.slice(1), { stdio: 'pipe' })
})

t.test('compose.yaml mounts the files that the other samples name', async t => {
  const { services, volumes } = parse(sample('compose.yaml')) as {
    services: Record<string, { volumes: string[]; environment: Record<string, string> }>
    volumes: Record<string, unknown>
  }
  const mounted = Object.values(services).flatMap(service =>
    service.volumes.map(volume => /^(?:\$\{.*?\}|[^:]+):([^:]+)/.exec(volume)![1]!)
  )
  const named = ['nats.conf', 'coffer.yaml'].flatMap(name =>
    Array.from(sample(name).matchAll(/\/etc\/\w+\/[-\w]+(?:\.\w+)*|\/var\/lib\/nats/g), ([path]) => path)
  )
  t.same(
    named.filter(path => !mounted.includes(path)),
    []
  )
  const sources = Object.values(services).flatMap(service =>
    service.volumes.flatMap(volume => /^\.\/([^/:]+):/.exec(volume)?.[1] ?? [])
  )
  t.same(
    sources.filter(name => !readdirSync(samples).includes(name)),
    []
  )
  t.same(Object.keys(volumes).toSorted(), ['backup', 'certificates', 'data'])
})
