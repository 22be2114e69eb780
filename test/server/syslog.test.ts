/** Sending calls to a syslog: real messages on a real socket, without blocking calls. (docs/spec/audit.md#syslog) */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createSyslogFormat } from '../../core/audit/syslog.js'
import { silentLog } from '../../core/log.js'
import type { AuditEntry } from '../../storage/audit/record.js'
import { UdpSyslog } from '../../server/syslog.js'
import { coffer, openCoffer, testConfig, type Overrides } from '../support/coffer.js'
import { socketOf, until } from '../support/socket.js'

const adminKey = 'the key of the operator'

/** Starts a syslog on loopback, and returns its port and the messages it has received. */
async function syslog(t: Test, host = '127.0.0.1'): Promise<{ port: number; messages: string[] }> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const messages: string[] = []
  socket.on('message', message => void messages.push(message.toString()))
  socket.bind(0, host)
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return { port: socket.address().port, messages }
}

/** Returns how messages of this process begin. */
function head(action: string, priority = 109): string {
  return `<${priority}>1 2023-11-14T22:13:20.000Z ${hostname()} coffer PID ${action}`
}

/** Returns the message for a record. */
function format(more: Partial<AuditEntry>, settings: object = {}): string {
  const entry = { time: 1.5, access: 'a', action: 'events.get', via: 'http', ip: '::1', status: 200, ...more }
  return createSyslogFormat(testConfig('/nowhere', { audit: { syslog: settings } }))(
    entry,
    'the-id'
  ).toString()
}

function textOf(message: string): string {
  return message.slice(message.indexOf(' - ') + 3)
}

/** Returns settings that send to a syslog on a port. */
function told(port: number, more: object = {}): Overrides {
  return { adminKey, audit: { syslog: { host: '127.0.0.1', port, ...more } } }
}

t.test('a syslog', async t => {
  t.test('receives each call, over every transport, with the fields of the audit', async t => {
    const { messages, port } = await syslog(t)
    const service = await openCoffer(t, { ...told(port), hf: { port: 0 } })
    const { alice } = service
    const { id } = service.server.services.accounts.find('alice')!
    await alice.http('POST', '/streams', { id: 'diary', name: 'Diary' })
    await alice.http('GET', '/events?limit=5&auth=whatever')
    await alice.http('POST', '/', [{ method: 'events.getOne', params: { id: 'x' } }])
    await (await socketOf(t, alice)).call('streams.get')
    await fetch(`${service.server.seriesUrl}/alice/events/x/series`, { headers: { authorization: 'wrong' } })
    await until(() => messages.length === 6, 'six messages')
    const heads = messages.map(text => text.slice(0, text.indexOf(' - ')).replaceAll(`${process.pid}`, 'PID'))
    t.same(heads, [
      head('streams.create'),
      head('events.get'),
      head('events.getOne', 108),
      head('callBatch'),
      head('streams.get'),
      head('hfs.get', 108)
    ])
    const source = '{"name":"http","ip":"127.0.0.1"}'
    t.equal(
      messages[1]!.slice(messages[1]!.indexOf(' - ') + 3),
      `${id} audit-log/coffer-api createdBy:system ` +
        `[":_audit:access-${alice.access.id}",":_audit:action-events.get"] ` +
        `{"source":${source},"action":"events.get","query":{"limit":"5"},"status":200,"read":{"streamIds":["*"],"count":0},"recordCount":0,"scopedStreamIds":["*"],"scopedStreamCount":1}`
    )
    t.match(messages[5], /audit-log\/coffer-api-error .*access-invalid.*"id":"invalid-access-token"/)
  })

  t.test('receives calls without an account, and those of the operator', async t => {
    const { messages, port } = await syslog(t)
    const service = await coffer(t, { ...told(port, { template: '{userid} {streamIds}' }) })
    const admin = { authorization: adminKey }
    const daisy = {
      appId: 'an-app',
      username: 'daisy',
      password: 'a long secret',
      email: 'daisy@example.com'
    }
    t.equal((await service.http('POST', '/users', daisy)).status, 201)
    t.equal((await service.http('POST', '/users', daisy)).status, 409)
    t.equal((await service.http('DELETE', '/system/users/daisy/mfa', undefined, admin)).status, 204)
    t.equal(
      (await service.http('DELETE', '/system/users/daisy/mfa', undefined, { authorization: 'x' })).status,
      404
    )
    t.equal((await service.http('DELETE', '/users/daisy', undefined, admin)).status, 200)
    await service.http('GET', '/reg/service/info')
    await service.http('GET', '/system/user-info/alice', undefined, admin)
    await until(() => messages.length === 5, 'five messages')
    const texts = messages.map(text => text.replace(/^.*? - /, '').replaceAll(':_audit:', ''))
    const [, userid = ''] = /^(c\w{24}) /.exec(texts[0]!) ?? []
    t.same(texts, [
      `${userid} ["access-public","action-auth.register"]`,
      '- ["access-public","action-auth.register"]',
      `${userid} ["access-admin","action-system.deactivateMfa"]`,
      '- ["access-invalid","action-system.deactivateMfa"]',
      '- ["access-admin","action-users.delete"]'
    ])
  })

  t.test('receives calls from all threads', async t => {
    const { messages, port } = await syslog(t)
    const service = await coffer(t, { ...told(port), workers: 2 })
    for (const name of ['bobby', 'carol', 'david', 'emily'])
      await (await service.user(name)).do('streams.get')
    await until(() => messages.length === 4, 'four messages')
    t.pass()
  })

  t.test('has its own filter, which may include methods that the audit does not record', async t => {
    const { messages, port } = await syslog(t)
    const filter = { methods: { include: ['streams.all'], exclude: ['streams.get'] } }
    const { audit } = told(port, { filter, template: '{content.action}' })
    const none = { filter: { methods: { include: ['all'], exclude: ['all'] } } }
    const { alice } = await coffer(t, { audit: { ...audit, storage: none } })
    await alice.stream('diary')
    await alice.do('streams.get')
    await alice.event()
    await alice.do('streams.update', { id: 'diary', update: { name: 'Other' } })
    await until(() => messages.length === 2, 'two messages')
    t.match(messages, [/ - streams\.create$/, / - streams\.update$/])
    t.same((await alice.do('events.get', { streams: [':_audit:'] })).events, [])
    const off = await coffer(t, { audit: { ...audit, active: false } })
    await off.alice.stream('diary')
    await alice.do('streams.delete', { id: 'diary' })
    await until(() => messages.length === 3, 'a third message')
    t.match(messages[2], /streams\.delete/, 'nothing where the audit is off')
  })

  t.test('receives calls that need unique values once, alone and in batches', async t => {
    const { messages, port } = await syslog(t)
    const service = await openCoffer(t, told(port))
    const { alice } = service
    await service.call(undefined, 'test.noteSignIns', { username: 'alice' })
    await alice.stream('diary')
    await until(() => messages.some(text => text.includes('streams.create')), 'what came before')
    messages.length = 0
    await alice.do('account.update', { update: { email: 'alice@example.org' } })
    const note = { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'x' } }
    const nowhere = { method: 'events.create', params: { ...note.params, streamIds: ['nowhere'] } }
    const [a, b, c] = ['a', 'b', 'c'].map(name => ({
      method: 'events.create',
      params: { streamIds: [':system:email'], type: 'email/string', content: `${name}@example.org` }
    }))
    const calls = [note, nowhere, a, note, b, c]
    const { results } = await alice.do('callBatch', calls)
    t.match(results, [
      { event: {} },
      { error: {} },
      { event: {} },
      { event: {} },
      { event: {} },
      { event: {} }
    ])
    await alice.do('getAccessInfo')
    const actions = (): string[] => messages.map(text => / ([a-z]+(?:\.[a-z]+)?) - /i.exec(text)?.[1] ?? text)
    await until(() => actions().includes('getAccessInfo'), 'the last call')
    const created = calls.map(() => 'events.create')
    t.same(actions().toSorted(), ['account.update', ...created, 'callBatch', 'getAccessInfo'].toSorted())
  })

  t.test('receives no secrets and no stored content', async t => {
    const { messages, port } = await syslog(t)
    const service = await coffer(t, told(port))
    const canaries = ['canary-password', 'canary-content', 'canary-name', 'canary-token', 'canary-mail']
    const daisy = {
      appId: 'an-app',
      username: 'canary-name',
      password: 'canary-password',
      email: 'canary-mail@e.com'
    }
    await service.http('POST', '/users', daisy)
    await service.http('POST', '/canary-name/auth/login', { ...daisy, password: 'canary-password2' })
    const login = await service.http('POST', '/canary-name/auth/login', daisy, { origin: service.server.url })
    const { token } = login.body
    const headers = { authorization: token }
    await service.http(
      'POST',
      '/canary-name/streams',
      { id: 'canary-content', name: 'canary-content' },
      headers
    )
    await service.http(
      'POST',
      '/canary-name/events',
      { streamIds: ['canary-content'], content: 'canary-content' },
      headers
    )
    await service.http('GET', `/canary-name/events?auth=${token}&unknown=canary-token`)
    await service.http('GET', '/canary-name/events', undefined, { authorization: 'canary-token' })
    await service.http('GET', '/system/user-info/canary-name', undefined, { authorization: adminKey })
    await service.http('POST', '/system/create-user', daisy, { authorization: adminKey })
    await until(() => messages.length >= 8, 'eight messages')
    const text = messages.join('\n')
    for (const secret of [...canaries, token, adminKey]) t.notMatch(text, secret)
  })

  t.test('does not delay calls if it is unreachable or its name does not resolve', async t => {
    const { port } = await syslog(t)
    for (const host of ['127.0.0.1', 'no-such-host.invalid']) {
      const { alice, server } = await openCoffer(t, {
        audit: { syslog: { host, port: port === 9 ? 10 : 9 } }
      })
      t.ok(server.services.syslog)
      await alice.stream('diary')
      for (let count = 0; count < 20; count++) await alice.event()
    }
    const { server } = await openCoffer(t)
    t.equal(server.services.syslog, undefined, 'and there is none unless the settings name it')
  })

  t.test('is reachable by name, and over IPv6', async t => {
    const { address } = await lookup('localhost')
    for (const [listens, host] of [
      [address, 'localhost'],
      ['::1', '::1']
    ] as const) {
      const { messages, port } = await syslog(t, listens)
      const sender = new UdpSyslog(host, port, silentLog)
      for (const text of ['one', 'two', 'three']) sender.send(Buffer.from(text))
      await until(() => messages.length === 3, `messages by ${host}`)
      await sender.close()
      sender.send(Buffer.from('too late'))
    }
  })
})

t.test('a syslog without a socket counts the lost messages, and closes', t => {
  const code = `
    import { openSync, closeSync } from 'node:fs'
    import { once } from 'node:events'
    import { createSocket } from 'node:dgram'
    import { UdpSyslog } from '${new URL('../../server/syslog.js', import.meta.url).href}'
    const warned = []
    const syslog = new UdpSyslog('127.0.0.1', 9, { warn: message => warned.push(message) })
    const files = []
    try { for (;;) files.push(openSync('/dev/null')) } catch {}
    syslog.send(Buffer.from('lost'))
    while (syslog.lost === 0) await new Promise(setImmediate)
    await syslog.close()
    for (const file of files) closeSync(file)
    console.log(syslog.lost, warned.join())`
  const script = join(t.testdir(), 'script.mjs')
  writeFileSync(script, code)
  const output = execFileSync('sh', ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script], {
    encoding: 'utf8',
    timeout: 60_000
  })
  t.equal(output, '1 syslog: its socket failed; messages lost so far: 1\n')
  t.end()
})

t.test('syslog messages', async t => {
  t.test('have the configured facility, severities and app name', async t => {
    const settings = { facility: 16, level: 'info', errorLevel: 'critical', appName: 'my data\n-é' }
    t.match(format({}, settings), /^<134>1 1970-01-01T00:00:01\.500Z \S+ mydata- \d+ events\.get - /)
    t.match(format({ errorId: 'forbidden' }, settings), /^<130>1 /)
    t.match(format({}, { appName: '' }), / - \d+ events\.get - /)
  })

  const templates: [template: string, text: string][] = [
    ['{userid}', 'the-id'],
    ['by {createdBy} at {time}: {content.status}!', 'by system at 1.5: 200!'],
    ['{content.source}|{content.source.ip}', '{"name":"http","ip":"::1"}|::1'],
    ['{content.nothing}{content.source.ip.length}{content.toString}{content.__proto__}', ''],
    ['', '']
  ]
  for (const [template, text] of templates)
    t.test(`are formatted by "${template}"`, async t => {
      t.equal(textOf(format({}, { template })), text)
    })

  t.test('are a single line of limited length, whatever they contain', async t => {
    const callerId = `x\n<0>1 forged\r\u0000\u2028${'é'.repeat(10_000)}`
    const message = format({ callerId }, { template: '{content.callerId}' })
    t.match(textOf(message), /^x <0>1 forged {3}é+$/)
    const { length } = Buffer.from(message)
    t.ok(length <= 8000 && length > 7990, String(length))
  })
})
