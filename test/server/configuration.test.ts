/** Settings that operators change on their page: sources and errors. (docs/spec/administration.md#changing-settings) */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { editableKeys } from '../../core/settings/editable.js'
import { settingsList } from '../../core/settings/list.js'
import { readSettings } from '../../core/settings/load.js'
import { startServer } from '../../server/server.js'
import type { SettingsSource } from '../../server/setup/setup-service.js'
import { findPlaceProblems } from '../../scripts/backup/default-place.js'
import { ManualClock } from '../../core/time.js'
import { methodModules, Service, type Answer } from '../support/coffer.js'

const adminKey = 'the key of the operator'

interface Given {
  readonly env?: Record<string, string>
  readonly argv?: readonly string[]
  /** Settings from a file. */
  readonly file?: object
  /** Settings chosen earlier on a page. */
  readonly chosen?: object
}

const page = (name: string, token: string): Record<string, string> => ({
  cookie: `coffer-session=${name}.${token}`
})

/** Starts a service with settings from all sources and an operator, and returns helpers that call its routes. */
async function start(t: Test, given: Given = {}) {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const chosenFile = join(dataDir, 'settings.yaml')
  mkdirSync(dataDir)
  if (given.chosen) writeFileSync(chosenFile, stringify(given.chosen))
  if (given.file) writeFileSync(join(folder, 'coffer.yaml'), stringify(given.file))
  const argv = [
    `--dataDir=${dataDir}`,
    '--port=0',
    `--adminKey=${adminKey}`,
    '--operators=olive',
    ...(given.argv ?? [])
  ]
  const restarted = { count: 0 }
  const source: SettingsSource = {
    read: chosen =>
      readSettings({ argv, env: given.env ?? {}, cwd: folder, ...(chosen && { pageSettings: chosen }) }),
    check: async settings => await Promise.resolve(findPlaceProblems(settings)),
    restart: () => void restarted.count++
  }
  const clock = new ManualClock()
  const server = await startServer(source.read().settings, { clock, methodModules, setup: source })
  t.teardown(() => server.close())
  const service = new Service(server, clock, dataDir)
  const call = async (verb: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    await service.http(verb, path, body, { authorization: adminKey, ...headers })
  const list = async (): Promise<Answer> => (await call('GET', '/system/configuration')).body.configuration
  const find = async (key: string): Promise<Answer> =>
    (await list()).settings.find((each: Answer) => each.key === key)
  const update = async (values: object, version?: string) =>
    await call('PATCH', '/system/configuration', { version: version ?? (await list()).version, values })
  const kept = (): Answer => (existsSync(chosenFile) ? parse(readFileSync(chosenFile, 'utf8')) : undefined)
  return { call, dataDir, find, folder, kept, list, restarted, service, source, update }
}

t.test('editable settings', async t => {
  t.test('exist', async t => {
    const known = new Set(settingsList.map(({ key }) => key))
    t.same(
      editableKeys.filter(key => !known.has(key)),
      []
    )
    t.equal(new Set(editableKeys).size, editableKeys.length)
  })

  t.test('cannot lock operators out, and do not depend on the machine', async t => {
    for (const key of ['adminKey', 'operators', 'port', 'host', 'dataDir', 'publicUrl', 'domain', 'workers'])
      t.notOk(editableKeys.includes(key), key)
    t.notOk(editableKeys.some(key => /^(?:cluster|storage|http|metrics)\./.test(key)))
  })
})

t.test('GET /system/configuration', async t => {
  t.test('names the source of each value, in order of precedence', async t => {
    const { find, folder } = await start(t, {
      argv: ['--service.name=By flag'],
      env: { COFFER_SERVICE_NAME: 'By variable', COFFER_SERVICE_HOME: 'https://variable.example' },
      file: { service: { name: 'By file', home: 'https://file.example', support: 'file@example.com' } },
      chosen: {
        service: {
          name: 'By page',
          home: 'https://page.example',
          support: 'page@example.com',
          terms: 'By page'
        }
      }
    })
    t.match(await find('service.name'), {
      value: 'By flag',
      isEditable: false,
      origin: { kind: 'flag', source: '--service.name' },
      fixedBy: { kind: 'flag', source: '--service.name' }
    })
    t.match(await find('service.home'), {
      value: 'https://variable.example',
      isEditable: false,
      fixedBy: { kind: 'environment', source: 'COFFER_SERVICE_HOME' }
    })
    t.match(await find('service.support'), {
      value: 'file@example.com',
      isEditable: false,
      fixedBy: { kind: 'file', source: join(folder, 'coffer.yaml') }
    })
    t.match(await find('service.terms'), {
      value: 'By page',
      isEditable: true,
      origin: { kind: 'page', source: 'settings.yaml' }
    })
    const standard = await find('log.level')
    t.match(standard, { isEditable: true, isStandard: true, value: 'info' })
    t.notOk('origin' in standard)
    t.ok(standard.choices.includes('warn'))
    t.match(await find('port'), { isEditable: false, origin: { kind: 'flag', source: '--port' } })
    t.notOk('fixedBy' in (await find('port')), 'it cannot be changed in the page anyway')
  })

  t.test('returns no secrets', async t => {
    const { call } = await start(t, {
      chosen: {
        registration: { invitationTokens: ['mark-token'] },
        services: { email: { smtp: { password: 'mark' } } }
      }
    })
    const { body } = await call('GET', '/system/configuration')
    t.notMatch(JSON.stringify(body), /mark-token|"mark"|"the key"/)
  })

  t.test('is for operators only, like the other routes', async t => {
    const { call, service } = await start(t)
    const alice = await service.user('alice')
    const olive = await service.user('olive')
    const ofOwnPages = { 'coffer-app': '1' }
    for (const [verb, path] of [
      ['GET', '/system/configuration'],
      ['PATCH', '/system/configuration'],
      ['POST', '/system/backup'],
      ['POST', '/system/restart']
    ] as const) {
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await service.http(verb, path, verb === 'GET' ? undefined : {}, headers)).status
      t.equal(await status({ authorization: 'wrong' }), 404, path)
      t.equal(await status({}), 404, path)
      t.equal(await status({ authorization: olive.token }), 404, path)
      t.equal(await status({ ...page('alice', alice.token), ...ofOwnPages }), 404, path)
      t.equal(
        await status(page('olive', olive.token)),
        404,
        `${path}: a form of another page has the cookie only`
      )
    }
    const answer = await service.http('GET', '/system/configuration', undefined, {
      cookie: `coffer-session=olive.${olive.token}`,
      ...ofOwnPages
    })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('cache-control'), 'no-store')
    t.equal((await call('POST', '/system/configuration', {})).status, 404)
  })
})

t.test('POST /system/backup', async t => {
  t.test('is refused without a destination, or while a backup is running', async t => {
    const without = await start(t)
    const { body, status } = await without.call('POST', '/system/backup')
    t.equal(status, 400)
    t.match(body.error.message, 'backup.to is empty')
    const { call } = await start(t, { chosen: { backup: { to: '/nowhere' } } })
    const refused = await call('POST', '/system/backup')
    t.equal(refused.status, 409)
    t.match((await call('GET', '/system/deeds')).body.deeds, [
      { method: 'system.startBackup', error: 'invalid-operation' }
    ])
  })
})

t.test('PATCH /system/configuration', async t => {
  t.test('saves changes, which apply after the next start', async t => {
    const { find, folder, kept, list, source, update } = await start(t, {
      chosen: { service: { terms: 'Be kind' } }
    })
    const { body, status } = await update({
      'service.name': 'Our data',
      'quota.bytes': 1_000_000,
      'registration.emailLookup': false,
      'service.terms': null,
      'backup.to': join(folder, 'elsewhere')
    })
    t.equal(status, 200, JSON.stringify(body))
    t.equal(body.configuration.needsRestart, true)
    t.match(await find('service.name'), { value: 'Our data', isPending: true, origin: { kind: 'page' } })
    t.match(await find('service.terms'), { value: '', isStandard: true, isPending: true })
    t.match(kept(), {
      service: { name: 'Our data' },
      quota: { bytes: 1_000_000 },
      registration: { emailLookup: false },
      backup: { to: join(folder, 'elsewhere') }
    })
    const { problems, settings } = source.read()
    t.same(problems, [])
    t.equal(settings.service.name, 'Our data')
    await update({
      'service.name': null,
      'quota.bytes': 0,
      'registration.emailLookup': true,
      'backup.to': ''
    })
    await update({ 'service.terms': 'Be kind' })
    t.equal((await list()).needsRestart, false, 'what is kept is what is in force')
  })

  t.test('reports all errors together, and saves nothing', async t => {
    const { dataDir, kept, update } = await start(t)
    const { body, status } = await update({
      'service.name': 7,
      'quota.bytes': -1,
      'log.level': 'loud',
      'backup.schedule': 'sometimes',
      'backup.keep.days': 1.5,
      'registration.emailLookup': 'yes'
    })
    t.equal(status, 400)
    t.same(body.error.data.map(({ param }: { param: string }) => param).toSorted(), [
      'backup.keep.days',
      'backup.schedule',
      'log.level',
      'quota.bytes',
      'registration.emailLookup',
      'service.name'
    ])
    for (const [values, words] of [
      [{ 'registration.invitationTokens': 'everybody' }, 'must be one of open, invited, closed'],
      [{ 'backup.to': 'relative' }, 'absolute path'],
      [{ 'backup.to': join(dataDir, 'backups') }, 'inside the data directory'],
      [{ 'backup.to': '\u0000' }, 'backup.to']
    ] as const) {
      const refused = await update(values)
      t.equal(refused.status, 400)
      t.match(JSON.stringify(refused.body), words)
    }
    t.equal(kept(), undefined)
  })

  t.test('refuses settings that are fixed elsewhere, not editable or unknown', async t => {
    const { folder, kept, update } = await start(t, {
      argv: ['--service.name=By flag'],
      env: { COFFER_SERVICE_HOME: 'https://variable.example' },
      file: { service: { support: 'file@example.com' } }
    })
    const { body, status } = await update({
      'service.name': 'Mine',
      'service.home': 'https://mine.example',
      'service.support': 'mine@example.com',
      port: 80,
      adminKey: 'mine',
      __proto__x: 'mine',
      service: 'mine'
    })
    t.equal(status, 400)
    const told = Object.fromEntries(
      body.error.data.map(({ code, message, param }: Answer) => [param, `${code}: ${message}`])
    )
    t.equal(told['service.name'], 'setting-fixed: The setting service.name is set by --service.name')
    t.match(told['service.home'], 'setting-fixed: The setting service.home is set by COFFER_SERVICE_HOME')
    t.match(told['service.support'], join(folder, 'coffer.yaml'))
    t.match(told['port'], /^setting-not-editable/)
    t.match(told['adminKey'], /^setting-not-editable/)
    t.match(told['__proto__x'], /^unknown-setting/)
    t.match(told['service'], /^unknown-setting/)
    t.equal(kept(), undefined)
  })

  t.test('refuses malformed bodies', async t => {
    const { call, kept, list } = await start(t)
    const { version } = await list()
    for (const body of [
      {},
      [],
      '"x"',
      '{',
      { version },
      { version, values: {} },
      { version, values: [] },
      { version, values: { 'service.name': {} } },
      { version, values: { 'service.name': ['x'] } },
      { version, values: { 'service.name': 'x'.repeat(5001) } },
      { version: 1, values: { 'service.name': 'x' } },
      { version, values: { 'service.name': 'x' }, more: 1 },
      `{"version":"${version}","values":{"__proto__":"x"}}`
    ]) {
      const { status } = await call('PATCH', '/system/configuration', body)
      t.equal(status, 400, JSON.stringify(body).slice(0, 100))
    }
    const text = await call('PATCH', '/system/configuration', '{}', { 'content-type': 'text/plain' })
    t.equal(text.status, 415)
    t.equal(kept(), undefined)
  })

  t.test('refuses the second of two changes to the same version', async t => {
    const { kept, list, update } = await start(t)
    const { version } = await list()
    const answers = await Promise.all([
      update({ 'service.name': 'One' }, version),
      update({ 'service.name': 'Two' }, version)
    ])
    const statuses = answers.map(({ status }) => status)
    t.same(statuses.toSorted(), [200, 409])
    const refused = answers.find(({ status }) => status === 409)!
    t.equal(refused.body.error.data.code, 'settings-changed')
    t.equal(kept().service.name, statuses[0] === 200 ? 'One' : 'Two')
    t.equal((await update({ 'service.name': 'Three' }, version)).status, 409)
    t.equal((await update({ 'service.name': 'Three' })).status, 200)
  })

  t.test('selects who may register by mode, and keeps current invitation tokens', async t => {
    const { find, kept, update } = await start(t, {
      chosen: { registration: { invitationTokens: ['a-token'] } }
    })
    t.match(await find('registration.invitationTokens'), {
      value: 'invited',
      choices: ['open', 'invited', 'closed']
    })
    await update({ 'registration.invitationTokens': 'invited', 'service.name': 'x' })
    t.same(kept().registration.invitationTokens, ['a-token'])
    await update({ 'registration.invitationTokens': 'open' })
    t.equal(kept().registration.invitationTokens, null)
    t.match(await find('registration.invitationTokens'), { value: 'open', isPending: true })
    await update({ 'registration.invitationTokens': 'closed' })
    t.same(kept().registration.invitationTokens, [])
    await update({ 'registration.invitationTokens': 'invited' })
    t.equal(kept().registration.invitationTokens.length, 1)
  })

  t.test('does not send a saved password to another mail server', async t => {
    const smtp = { host: 'mail.example.com', user: 'us', password: 'mark' }
    const { find, kept, update } = await start(t, { chosen: { services: { email: { smtp } } } })
    await update({ 'services.email.smtp.host': 'mail.example.com', 'services.email.smtp.user': 'us' })
    t.equal(kept().services.email.smtp.password, 'mark', 'it stays where nothing has changed')
    await update({ 'services.email.smtp.host': 'other.example.com' })
    t.notOk('password' in kept().services.email.smtp)
    await update({
      'services.email.smtp.host': 'mail.example.com',
      'services.email.smtp.password': 'another'
    })
    t.equal(kept().services.email.smtp.password, 'another')
    t.match(await find('services.email.smtp.password'), { isSecret: true, isStandard: false })
  })

  t.test('does not change the mail server if its password is set elsewhere', async t => {
    const { update } = await start(t, { env: { COFFER_SERVICES_EMAIL_SMTP_PASSWORD: 'mark' } })
    const { body, status } = await update({ 'services.email.smtp.host': 'other.example.com' })
    t.equal(status, 400)
    t.match(body.error.data[0].message, 'is set by COFFER_SERVICES_EMAIL_SMTP_PASSWORD')
  })

  t.test('records accepted and refused changes without their values', async t => {
    const { call, list, restarted, service, update } = await start(t)
    const olive = await service.user('olive')
    const headers = { cookie: `coffer-session=olive.${olive.token}`, 'coffer-app': '1' }
    const { version } = await list()
    const values = { 'services.email.smtp.password': 'mark', 'service.name': 'Our data' }
    const answer = await service.http('PATCH', '/system/configuration', { version, values }, headers)
    t.equal(answer.status, 200)
    await update({ port: 80 })
    t.equal((await call('POST', '/system/restart')).status, 200)
    t.equal(restarted.count, 1)
    const { body } = await call('GET', '/system/deeds')
    t.match(body.deeds, [
      { method: 'system.restart', isByKey: true, error: null },
      { method: 'system.updateSettings', isByKey: true, error: 'invalid-parameters-format' },
      {
        method: 'system.updateSettings',
        isByKey: false,
        operator: 'olive',
        error: null,
        detail: { settings: ['services.email.smtp.password', 'service.name'] }
      }
    ])
    t.notMatch(JSON.stringify(body), /"mark"|Our data/)
  })
})
