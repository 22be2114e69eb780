/** Odd values of every setting: `check-config` reports all errors together; accepted values cause no errors later. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { SettingsError } from '../../../core/settings/load.js'
import { settingsList, type Setting } from '../../../core/settings/list.js'
import { silentLog } from '../../../core/log.js'
import type { Settings } from '../../../core/settings/settings.js'
import { loadCheckedSettings } from '../../../scripts/terminal/load-checked-settings.js'
import { startServer } from '../../../server/server.js'
import { methodModules } from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'
import { provideTemplates } from '../../support/templates.js'

t.setTimeout(900_000)

const texts = [
  '',
  ' ',
  'banana',
  'two words',
  'http://',
  'http://[',
  'https://a.example:99999/',
  'https://%zz/',
  'https://a.example/?x#y',
  'https://user:pass@a.example/',
  'ftp://a.example/',
  'file:///nowhere/at/all.json',
  '..',
  '../../..',
  '-',
  '::1',
  '1.2.3.4/33',
  'a\nb: c',
  '\u0000',
  '\ud800',
  'Zoë',
  '{{ x }}',
  '%',
  '*',
  '(',
  'x'.repeat(5000)
]
const numbers = [
  0,
  1,
  2,
  1.5,
  -1,
  255,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e300
]
const others = [
  null,
  true,
  false,
  [],
  {},
  [null],
  [1],
  [''],
  ['banana'],
  ['10.0.0.0/99'],
  [' '],
  ['x', 'x'],
  [{}]
]
const all: readonly unknown[] = [...texts, ...numbers, ...others, ...texts.map(text => [text])]
const values = rotate(t, all, 5)

/** Settings that the test needs for itself: paths, ports and hosts, and what depends on other machines. */
const fixed = new Set(['dataDir', 'host', 'port', 'hf.port', 'metrics.port', 'workers', 'cluster.node'])

function nested(given: ReadonlyMap<string, unknown>): object {
  const root: Record<string, unknown> = {}
  for (const [key, value] of given) {
    const path = key.split('.')
    let group = root
    for (const name of path.slice(0, -1)) group = (group[name] ??= {}) as Record<string, unknown>
    group[path.at(-1)!] = value
  }
  return root
}

const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

async function load(given: ReadonlyMap<string, unknown>): Promise<Settings> {
  const file = join(directory, 'coffer.json')
  writeFileSync(file, JSON.stringify(nested(given)))
  return await loadCheckedSettings([`--config=${file}`])
}

/** Returns the settings that accept a value. */
async function accepting(t: Test, value: unknown): Promise<Setting[]> {
  const candidates = settingsList.filter(({ key }) => !fixed.has(key))
  try {
    await load(new Map(candidates.map(({ key }) => [key, value])))
    return candidates
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const refused = error.problems.map(problem => candidates.find(({ key }) => isAbout(problem, key)))
    t.notOk(refused.includes(undefined), error.message)
    return candidates.filter(setting => !refused.includes(setting))
  }
}

function isAbout(problem: string, key: string): boolean {
  return problem.startsWith(key) && ' :[.'.includes(problem.charAt(key.length))
}

/** The service may accept only one connection. */
const alone = { connection: 'close' }

/** Returns the error that accepted settings cause, if any. */
async function troubleWith(given: ReadonlyMap<string, unknown>): Promise<string | undefined> {
  const dataDir = mkdtempSync(join(directory, 'data-'))
  provideTemplates(dataDir)
  try {
    const settings = await load(given)
    const server = await startServer(
      { ...settings, dataDir, port: 0, host: '127.0.0.1' },
      { log: silentLog, methodModules }
    )
    try {
      for (const path of ['/reg/service/info', '/', '/reg/apps', '/reg/hostings', '/access/access.html']) {
        const { status } = await fetch(server.url + path, { redirect: 'manual', headers: alone })
        if (status >= 500 && status !== 503) return `${path} answers ${status}`
      }
      const response = await fetch(`${server.url}/users`, { method: 'POST', headers: alone, body: '{' })
      const text = await response.text()
      if (response.status !== 400 || text.includes('arrived'))
        return `a body is answered ${response.status} ${text}`
    } finally {
      await server.close()
    }
    return undefined
  } catch (error) {
    return (error as Error).stack
  }
}

t.test('settings', async t => {
  t.test('that are accepted cause no errors', async t => {
    let count = 0
    for (const value of values) {
      const keys = (await accepting(t, value)).map(({ key }) => key)
      count += keys.length
      if (!(await troubleWith(new Map(keys.map(key => [key, value]))))) continue
      for (const key of keys) {
        const trouble = await troubleWith(new Map([[key, value]]))
        if (trouble) t.fail(`${key} ${JSON.stringify(value).slice(0, 60)}: ${trouble}`)
      }
    }
    t.ok(count > values.length * 15, `${count} odd values are right`)
  })

  t.test('are refused if they would fail later', async t => {
    const refused: [key: string, value: unknown][] = [
      ['http.trustedProxies', ['banana']],
      ['http.trustedProxies', ['10.0.0.0/8', '']],
      ['host', ''],
      ['host', 'two words'],
      ['dataDir', ''],
      ['dataDir', 'a\u0000b'],
      ['publicUrl', 'http://['],
      ['domain', 'a..b'],
      ['accessIdHeader', 'two words'],
      ['service.eventTypes', 'types.json'],
      ['auth.authorizationStep', 'nowhere.mjs'],
      ['auth.passwordResetPageURL', '/reset'],
      ['services.email.from', 'nobody'],
      ['services.email.http.url', 'mailer'],
      ['services.mfa.sms.endpoints.single.url', 'sms'],
      ['services.mfa.sms.endpoints.single.headers', { 'two words': 'x' }],
      ['services.mfa.sms.endpoints.single.headers', { name: 'a\nb' }],
      ['access.defaultAuthUrl', 'https://a:99999/'],
      ['access.trustedAuthUrls', ['https://%zz']],
      ['audit.storage.filter.methods.include', ['banana']],
      ['audit.syslog.host', 'two words'],
      ['limits.bodyTimeout', 2 ** 31],
      ['limits.bodyBytes', 2 ** 32],
      ['webhooks.timeoutMs', 2 ** 32],
      ['storage.cacheKiB', 2 ** 31],
      ['shutdownSeconds', 1e9],
      ['custom.systemStreams.account', [{ id: 'slow', type: 'a/b', regexValidation: '^(a+)+$' }]],
      ['custom.systemStreams.account', [{ id: 'odd', type: 'a/b', regexValidation: '(' }]]
    ]
    const all = new Map(
      refused.filter(([key], index) => refused.findIndex(([other]) => other === key) === index)
    )
    const problems = await load(all).then(
      () => [],
      (error: SettingsError) => error.problems
    )
    for (const key of all.keys())
      t.ok(
        problems.some(problem => isAbout(problem, key)),
        key
      )
    t.equal(problems.length, all.size, 'all of them at once')
    for (const [key, value] of refused)
      await t.rejects(load(new Map([[key, value]])), { name: 'SettingsError', message: key }, key)
    const ports = new Map([
      ['port', 4000],
      ['hf.port', 4000],
      ['metrics.port', 4000]
    ])
    await t.rejects(load(ports), { message: /hf\.port must be a different port.*\n- metrics\.port/ })
  })

  t.test('with common values are accepted', async t => {
    const usual = new Map<string, unknown>([
      ['host', '::'],
      ['domain', 'coffer.example.org'],
      ['publicUrl', 'https://coffer.example.org:8443/some/path'],
      ['http.trustedProxies', ['127.0.0.1', '::1', '172.30.30.0/24', 'fd00::/8']],
      ['service.eventTypes', 'file:///etc/coffer/types.json'],
      ['services.email.from', 'no-reply@example.org'],
      ['services.email.smtp.host', '::1'],
      ['services.mfa.sms.endpoints.single.url', 'https://sms.example.org/{{ phone }}?text={{ text }}'],
      ['services.mfa.sms.endpoints.single.headers', { Authorization: 'Bearer {{ x }}' }],
      ['access.defaultAuthUrl', 'https://a.example/access.html?lang=fr'],
      ['audit.syslog.host', 'syslog.local'],
      ['custom.systemStreams.account', [{ id: 'phone', type: 'a/b', regexValidation: '^\\+?[0-9 ]{1,30}$' }]]
    ])
    t.match(await load(usual), { host: '::' })
  })
})
