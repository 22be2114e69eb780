/** Authentication and encryption of connections to the engine. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nkeys } from '@nats-io/transport-node'
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { EngineUnfit } from '../../../cluster/nats/check.js'
import { NatsEngine } from '../../../cluster/nats-engine.js'
import { freePort } from '../../support/free-ports.js'
import { EngineServers } from '../engine-servers.js'

t.setTimeout(900_000)

t.test('servers that require authentication', async t => {
  const seed = nkeys.createUser()
  const servers = await EngineServers.start(t, {
    configuration: `authorization { users: [
      { user: coffer, password: "p@ss:word" }
      { nkey: ${seed.getPublicKey()} }
    ] }`
  })
  const folder = t.testdir({
    password: 'coffer:p@ss:word\n',
    wrong: 'coffer:other\n',
    odd: 'something\n',
    seed: Buffer.from(seed.getSeed()).toString()
  })
  const connect = async (servers: readonly string[], credentials?: string): Promise<void> => {
    const file = credentials === undefined ? undefined : join(folder, credentials)
    const engine = await NatsEngine.connect({ servers, credentials: file })
    t.teardown(() => engine.close())
    await engine.last('coffer.platform').catch((error: unknown) => t.type(error, EngineUnavailable))
  }
  await connect(servers.urls, 'password')
  await connect(servers.urls, 'seed')
  await connect(servers.urls.map(url => url.replace('//', '//coffer:p%40ss%3Aword@')))
  await t.rejects(connect(servers.urls), EngineUnfit)
  await t.rejects(connect(servers.urls, 'wrong'), EngineUnfit)
  await t.rejects(connect(servers.urls, 'odd'), /contains neither engine credentials nor user:password/)
  await t.rejects(connect(servers.urls, 'missing'), { code: 'ENOENT' })
})

t.test('servers none of which can be reached', async t => {
  const ports = [await freePort(), await freePort()]
  const hosts = ports.map(port => `127.0.0.1:${port}`)
  const refused = NatsEngine.connect({ servers: hosts.map(host => `nats://coffer:secret@${host}`) })
  const error: unknown = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  t.type(error, EngineUnavailable)
  t.match((error as Error).message, `(${hosts.join(', ')}) is reachable: `)
  t.notMatch((error as Error).message, 'secret')
})

t.test('a connection whose message handler throws', async t => {
  const servers = await EngineServers.start(t, { count: 1 })
  const engine = await NatsEngine.connect({ servers: servers.urls })
  t.teardown(() => engine.close())
  const heard: string[] = []
  engine.subscribe('riddles', message => {
    heard.push(Buffer.from(message).toString())
    if (heard.length === 1) throw new Error('not understood')
  })
  for (const riddle of ['first', 'second']) engine.announce('riddles', Buffer.from(riddle))
  // The flush returns after everything sent before it.
  await engine.connection.flush()
  t.same(heard, ['first', 'second'])
})

const byName = (url: string): string => url.replace('nats://127.0.0.1', 'tls://localhost')
const byAddress = (url: string): string => url.replace('nats:', 'tls:')

t.test('servers that are reached by TLS', async t => {
  const folder = t.testdir({})
  const certified = async (name: string): Promise<{ cert: string; urls: string[] }> => {
    const [key, cert] = ['key', 'cert'].map(kind => join(folder, `${name}-${kind}.pem`)) as [string, string]
    const subject = ['-subj', '/CN=engine', '-addext', `subjectAltName=${name}`]
    const form = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    execFileSync('openssl', ['req', '-x509', ...form, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore'
    })
    const configuration = `tls { cert_file: "${cert}", key_file: "${key}" }`
    return { cert, urls: (await EngineServers.start(t, { configuration })).urls }
  }
  const [named, numbered] = [await certified('DNS:localhost'), await certified('IP:127.0.0.1')]
  const urls = named.urls.map(byName)
  const wrong = [named.urls.map(byAddress), numbered.urls.map(byName)]
  const cert = join(folder, 'certs.pem')
  writeFileSync(cert, [named, numbered].map(each => readFileSync(each.cert, 'utf8')).join(''))
  await t.rejects(NatsEngine.connect({ servers: urls }), EngineUnfit, 'an unknown authority')

  // Authorities are read when a process starts.
  const script = join(folder, 'connect.mjs')
  writeFileSync(
    script,
    `const { NatsEngine } = await import(${JSON.stringify(new URL('../../../cluster/nats-engine.js', import.meta.url).href)})
    for (const servers of ${JSON.stringify([urls, numbered.urls.map(byAddress), ...wrong])})
      try {
        const engine = await NatsEngine.connect({ servers })
        console.log(engine.maxBytes > 0)
        await engine.close()
      } catch (error) {
        console.log(error.name)
      }`
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert }
  })
  t.equal(stdout, 'true\ntrue\nEngineUnfit\nEngineUnfit\n')
})
