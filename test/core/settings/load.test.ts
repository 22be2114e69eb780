/** Settings: sources, precedence and error messages. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { toConfig } from '../../../core/settings/config.js'
import { loadSettings, SettingsError } from '../../../core/settings/load.js'
import { settingsList } from '../../../core/settings/list.js'
import type { Settings } from '../../../core/settings/settings.js'

interface Given {
  readonly file?: string
  readonly env?: Record<string, string>
  readonly argv?: string[]
}

function load(t: Test, { file, env = {}, argv = [] }: Given): Settings {
  const cwd = t.testdir()
  if (file !== undefined) writeFileSync(join(cwd, 'coffer.yaml'), file)
  return loadSettings({ argv, env, cwd })
}

function problemsOf(t: Test, given: Given): readonly string[] {
  try {
    load(t, given)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

t.test('loadSettings', async t => {
  t.test('has a default for everything', async t => {
    t.match(load(t, {}), { port: 3000, auth: { sessionMaxAge: 1_209_600 }, http: { trustedProxies: [] } })
  })

  t.test('prefers flags to the environment, that to the file, and that to defaults', async t => {
    const file = 'port: 1\nhost: file\nservice:\n  name: file\nlog: { level: warn }\n'
    const env = { COFFER_PORT: '2', COFFER_HOST: 'environment', OTHER: 'x' }
    const settings = load(t, { file, env, argv: ['--port=3'] })
    t.match(settings, { port: 3, host: 'environment', service: { name: 'file' }, log: { level: 'warn' } })
    t.equal(settings.dataDir, './data')
  })

  t.test('reads JSON, and the file that is named', async t => {
    const cwd = t.testdir({ 'other.json': '{"port": 4}' })
    t.equal(loadSettings({ argv: ['--config', 'other.json'], env: {}, cwd }).port, 4)
    t.equal(loadSettings({ argv: [], env: { COFFER_CONFIG: join(cwd, 'other.json') }, cwd: '/' }).port, 4)
  })

  const texts: [variable: string, text: string, path: readonly string[], value: unknown][] = [
    ['COFFER_AUTH_TRUSTED_APPS', '*@*', ['auth', 'trustedApps'], '*@*'],
    ['COFFER_SERVICE_NAME', '12', ['service', 'name'], '12'],
    ['COFFER_STORAGE_CACHE_KIB', '128', ['storage', 'cacheKiB'], 128],
    ['COFFER_HTTP_TRUSTED_PROXIES', '10.0.0.0/8, ::1', ['http', 'trustedProxies'], ['10.0.0.0/8', '::1']],
    ['COFFER_HTTP_TRUSTED_PROXIES', '["10.0.0.1"]', ['http', 'trustedProxies'], ['10.0.0.1']],
    ['COFFER_SERVICES_EMAIL_ENABLED', 'false', ['services', 'email', 'enabled'], false],
    [
      'COFFER_SERVICES_EMAIL_ENABLED',
      '{"welcome": false, "verifyEmail": true}',
      ['services', 'email', 'enabled'],
      { welcome: false, verifyEmail: true }
    ],
    ['COFFER_REGISTRATION_INVITATION_TOKENS', 'null', ['registration', 'invitationTokens'], null],
    ['COFFER_REGISTRATION_INVITATION_TOKENS', '', ['registration', 'invitationTokens'], []],
    [
      'COFFER_REGISTRATION_INVITATION_TOKENS',
      'first,second',
      ['registration', 'invitationTokens'],
      ['first', 'second']
    ]
  ]
  for (const [variable, text, path, value] of texts)
    t.test(`accepts ${variable}=${text}`, async t => {
      const settings: unknown = load(t, { env: { [variable]: text } })
      t.same(
        path.reduce((at, name) => (at as Record<string, unknown>)[name], settings),
        value
      )
    })

  t.test('accepts true and false', async t => {
    t.equal(load(t, { argv: ['--accessTracking=false'] }).accessTracking, false)
    t.equal(load(t, { env: { COFFER_ACCESS_TRACKING: 'FALSE' } }).accessTracking, false)
  })

  t.test('reports all errors together, each with its name and source', async t => {
    const problems = problemsOf(t, {
      file: 'port: many\nserver: {}\nauth:\n  trustedApp: x\nservice: Name\n',
      env: {
        COFFER_LIMITS_BODY_BYTES: '1',
        COFFER_LIMIT: '1',
        COFFER_TEST_LONG: '1',
        COFFER_SERVICE_HOME: 'REPLACE ME'
      },
      argv: ['--log.level=loud', '--no-such', '--accessTracking=perhaps', 'stray']
    })
    const expected = [
      /^server \(.*coffer\.yaml\) is not a known setting$/,
      /^auth\.trustedApp \(.*coffer\.yaml\) is not a known setting$/,
      /^service \(.*coffer\.yaml\) must be a group/,
      /^COFFER_LIMIT \(environment\) is not a known setting$/,
      /^port \(.*coffer\.yaml\) .* "many"$/,
      /^limits\.bodyBytes \(COFFER_LIMITS_BODY_BYTES\) .* 1$/,
      /^service\.home \(COFFER_SERVICE_HOME\) must be replaced by a real value$/,
      /^log\.level \(--log\.level\) .* "loud"$/,
      /^--no-such \(flag\) is not a known setting$/,
      /^accessTracking \(--accessTracking\) .* "perhaps"$/,
      /^unexpected argument "stray"$/
    ]
    for (const pattern of expected)
      t.ok(
        problems.some(problem => pattern.test(problem)),
        String(pattern)
      )
  })

  t.test('reports a missing or invalid file, and a flag without a value', async t => {
    t.match(problemsOf(t, { argv: ['--config=none.yaml'] }), [/none\.yaml does not exist/])
    const cwd = t.testdir()
    symlinkSync('moved.yaml', join(cwd, 'coffer.yaml'))
    t.throws(() => loadSettings({ argv: [], env: {}, cwd }), /coffer\.yaml is a broken symbolic link/)
    t.match(problemsOf(t, { argv: ['--backup.to=backups/daily'] }), [/backup\.to must be the absolute path/])
    for (const to of ['/backups', 's3://bucket/x']) t.same(problemsOf(t, { argv: [`--backup.to=${to}`] }), [])
    t.match(problemsOf(t, { file: 'port: [' }), [/^can't read /])
    t.match(problemsOf(t, { argv: ['--domain'] }), ['--domain (flag) needs a value'])
    t.match(problemsOf(t, { argv: ['--domain', '--port=1'] }), ['--domain (flag) needs a value'])
  })

  t.test('shows no secret', async t => {
    const secret = 'fifteen letters'
    const env = { COFFER_ADMIN_KEY: secret, COFFER_SERVICES_EMAIL_SMTP_PASSWORD: 'x'.repeat(16) }
    t.same(problemsOf(t, { env }), [])
    for (const file of [`adminKey: [${secret}]`, `services: {email: {http: {key: {a: ${secret}}}}}`]) {
      const problems = problemsOf(t, { file })
      t.equal(problems.length, 1, file)
      t.notMatch(problems[0], secret)
    }
  })

  t.test('refuses a public URL whose host serves no pages', async t => {
    const argv = ['--domain=example.org', '--publicUrl=https://reg.example.org']
    t.match(problemsOf(t, { argv }), [/^publicUrl must be a host that serves all/])
    t.match(problemsOf(t, { argv: [argv[0]!, '--publicUrl=https://example.org/'] }), [])
  })

  t.test('refuses a passkey domain that does not match the pages', async t => {
    const at = (url: string, domain: string): readonly string[] =>
      problemsOf(t, { argv: [`--publicUrl=${url}`, `--auth.passkeyDomain=${domain}`] })
    t.match(at('https://data.example.org', 'example.com'), [/^auth.passkeyDomain must be the host/])
    t.match(at('https://data.example.org', 'ample.org'), [/^auth.passkeyDomain must be the host/])
    t.match(at('https://example.org', 'data.example.org'), [/^auth.passkeyDomain must be the host/])
    for (const domain of ['example.org', 'data.example.org', 'Data.Example.org'])
      t.same(at('https://data.example.org', domain), [], domain)
    const argv = ['--domain=example.org', '--auth.passkeyDomain=example.org']
    t.same(problemsOf(t, { argv }), [])
  })

  t.test('has a variable and a description for every setting', async t => {
    t.equal(new Set(settingsList.map(({ variable }) => variable)).size, settingsList.length)
    for (const { description, key } of settingsList) t.ok(description, key)
  })
})

t.test('toConfig', async t => {
  const settings = load(t, {})
  const config = toConfig(settings, '1.2.3')

  t.test('derives the public URL', async t => {
    t.equal(config.publicUrl, 'http://127.0.0.1:3000')
    t.equal(
      toConfig({ ...settings, publicUrl: 'https://x.example.com//' }, '1.2.3').publicUrl,
      'https://x.example.com'
    )
    t.equal(toConfig({ ...settings, host: '::' }, '1.2.3', 80).publicUrl, 'http://localhost:80')
    t.equal(toConfig({ ...settings, host: '::1' }, '1.2.3', 80).publicUrl, 'http://[::1]:80')
  })

  t.test('changes the serial only with the version and with what clients read', async t => {
    t.match(config.serial, /^010203\d{8}$/)
    t.equal(toConfig({ ...settings, dataDir: 'elsewhere' }, '1.2.3').serial, config.serial)
    t.not(toConfig(settings, '1.2.4').serial, config.serial)
    const service = { ...settings.service, name: 'Other' }
    t.not(toConfig({ ...settings, service }, '1.2.3').serial, config.serial)
  })

  t.test('is frozen', async t => {
    t.ok(Object.isFrozen(config))
  })
})
