/** `coffer user`, `coffer invite` and `coffer init`: with the service stopped, and next to a running one. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { Layout } from '../../storage/files/layout.js'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { startServer } from '../../server/server.js'
import { coffer, testSettings } from '../support/coffer.js'
import { command, commandProcess } from '../support/command.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const adminKey = 'key of the operator'
const input = 'a long password\n'

t.test('coffer user', async t => {
  t.test('manages accounts while the service is stopped', async t => {
    const dataDir = join(t.testdir(), 'data')
    const at = `--dataDir=${dataDir}`
    t.match(await command(['user', 'list', at]), { code: 1, errors: 'folder not found' })
    const made = await commandProcess(['user', 'create', 'daisy', '--email=daisy@example.com', at], { input })
    t.match([made.code, made.output], [0, 'daisy: created'], made.errors)
    const again = await command(['user', 'create', at, '--email', 'x@example.com', 'daisy'], { input })
    t.match([again.code, again.errors], [1, 'username'])
    t.match(await command(['user', 'list', at]), { code: 0, output: /^daisy\t\d{4}-/ })
    const { output: token } = await command(['user', 'token', 'daisy', '--app', 'my-app', at])
    const { tokens } = JSON.parse((await command(['invite', '--count=2', '--json', at])).output)
    t.match(tokens, [/^[a-z]{5}$/, /^[a-z]{5}$/])
    t.match(await command(['user', 'move', 'daisy', 'https://elsewhere.example/daisy/', at]), { code: 0 })
    t.match(await command(['user', 'list', at]), { output: 'moved to https://elsewhere' })
    t.match(await command(['user', 'move', 'daisy', '--undo', at]), {
      code: 0,
      output: 'no longer marked as moved'
    })
    t.same((await checkDirectory(new Layout(dataDir))).problems, [])

    const server = await startServer(testSettings(dataDir, { registration: { invitationTokens: [] } }))
    const headers = { authorization: token.trim() }
    const info = await (await fetch(`${server.url}/daisy/access-info`, { headers })).json()
    t.match(info, { type: 'personal', name: 'my-app', user: { username: 'daisy' } })
    const signIn = { username: 'daisy', password: 'a long password', appId: 'another-app' }
    const answer = await fetch(`${server.url}/daisy/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify(signIn)
    })
    t.equal(answer.status, 200)
    await server.close()

    const kept = await command(['user', 'delete', 'daisy', at], { input: 'no\n' })
    t.match([kept.code, kept.errors], [1, 'Nothing was deleted'])
    t.match(await command(['user', 'delete', 'daisy', at], { input: 'daisy\n' }), {
      code: 0,
      output: 'deleted'
    })
    for (const more of [[], ['--yes']])
      t.same(await command(['user', 'delete', 'daisy', ...more, at], { input: 'daisy\n' }), {
        code: 1,
        output: '',
        errors: 'Unknown user "daisy"\n'
      })
    t.match(await command(['user', 'list', at]), { output: '' })
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(`finds a running service with ${workers} threads by its data directory`, async t => {
      const { alice, directory, server } = await coffer(t, { workers })
      const at = `--dataDir=${directory}`
      const { serviceFile } = new Layout(directory)
      t.equal(statSync(serviceFile).mode & 0o077, 0, 'only its user may read the key')
      const create = ['user', 'create', 'daisy', '--email=daisy@example.com', at]
      t.match(await command(create, { input }), { code: 0, output: 'daisy: created' })
      const { output } = await command(['user', 'token', 'daisy', '--app=my-app', '--json', at])
      const { apiEndpoint, token, username } = JSON.parse(output)
      t.equal(username, 'daisy')
      t.match(apiEndpoint, token)
      const got = await fetch(`${server.url}/daisy/access-info`, { headers: { authorization: token } })
      t.match(await got.json(), { type: 'personal', name: 'my-app' })
      t.match(await command(['user', 'token', 'nobody', at]), { code: 1, errors: 'Unknown user "nobody"' })
      t.match(await command(['health', at]), { code: 0, output: /accounts.*2 accounts, consistent/s })
      const { key } = JSON.parse(readFileSync(serviceFile, 'utf8'))
      const open = async (authorization: string): Promise<number> => {
        const request = { method: 'POST', body: '{"appId":"my-app"}' }
        const headers = { authorization, 'content-type': 'application/json' }
        return (await fetch(`${server.url}/system/users/daisy/session`, { ...request, headers })).status
      }
      t.equal(await open(key), 201)
      for (const other of [alice.token, token, `${key}x`, 'x']) t.equal(await open(other), 404)
      t.match(await command(['user', 'delete', 'daisy', '--yes', at]), { code: 0, output: 'deleted' })
      await server.close()
      t.notOk(existsSync(serviceFile), 'the key ends with the service')
    })

  for (const workers of rotate(t, [0, 2]))
    t.test(`uses the admin key of a running service with ${workers} threads`, async t => {
      const { directory, server } = await coffer(t, { adminKey, workers })
      // As for a process of another user, which may not read it.
      rmSync(new Layout(directory).serviceFile)
      const at = [`--dataDir=${directory}`, `--port=${new URL(server.url).port}`]
      const withKey = [...at, `--adminKey=${adminKey}`]
      const create = ['user', 'create', 'daisy', '--email=daisy@example.com']
      for (const refused of [
        await command([...create, ...at], { input }),
        await command(['user', 'delete', 'alice', '--yes', ...at]),
        await command(['user', 'token', 'alice', ...at]),
        await command(['invite', ...at])
      ]) {
        t.equal(refused.code, 1)
        t.match(refused.errors, /The data directory is in use by a running service\. Stop it/)
      }
      t.match(await command([...create, ...at, '--adminKey=not the key of the operator'], { input }), {
        code: 1,
        errors: 'Nothing found at this path'
      })
      t.match(await command(['user', 'token', 'alice', ...withKey]), {
        code: 1,
        errors: 'Nothing found at this path'
      })
      t.match(await commandProcess([...create, ...withKey], { input }), { code: 0, output: 'daisy: created' })
      t.match(await command(['user', 'list', ...at]), { code: 0, output: /alice.*\n.*daisy/ })
      const invited = await command(['invite', '--message', 'for you', ...withKey])
      t.match(invited.output, /^([a-z]{5})\thttp:.*\/app\/\?register#invitation=\1\n$/)
      t.match(invited.errors, 'Anyone can register')
      const closed = await command([
        'invite',
        '--registration.invitationTokens=',
        '--host=0.0.0.0',
        ...withKey
      ])
      t.match([closed.code, closed.errors], [1, /^Registration is closed.*invitationTokens is \[\]/])
      t.equal(closed.output, '', 'no invitation is made that nobody could use')
      const some = await command(['invite', '--json', '--registration.invitationTokens=welcome', ...withKey])
      t.match(JSON.parse(some.output), { tokens: [/^[a-z]{5}$/], registration: 'by invitation' })
      t.equal(some.errors, '')
      t.match(await command(['user', 'move', 'daisy', 'https://e.example/', ...withKey]), { code: 0 })
      t.equal((await fetch(`${server.url}/daisy/events`, { redirect: 'manual' })).status, 301)
      t.match(await command(['user', 'move', 'daisy', '--undo', ...withKey]), { code: 0 })
      t.match(await command(['user', 'delete', 'daisy', '--yes', ...withKey]), { code: 0, output: 'deleted' })
      t.equal((await fetch(`${server.url}/daisy/events`)).status, 404)
      const nobody = await command(['user', 'list', ...at, '--port', '1', `--adminKey=${adminKey}`])
      t.equal(nobody.code, 0)
      const away = await command([
        'user',
        'delete',
        'alice',
        '--yes',
        at[0]!,
        '--port=1',
        `--adminKey=${adminKey}`
      ])
      t.match(away, { code: 1, errors: /not responding at .*(?:ECONNREFUSED|bad port)/ })
    })

  t.test('explains invalid arguments', async t => {
    const dataDir = join(t.testdir(), 'data')
    for (const [args, words] of [
      [['user', 'create', 'daisy'], 'needs an email address'],
      [['user', 'create', 'D', '--email=d@example.com'], 'is not a valid username'],
      [['user', 'create'], 'Expected arguments: <name>'],
      [['user', 'move', 'daisy'], 'Expected arguments: <name> <url>'],
      [['user', 'token', 'nobody'], 'Unknown user "nobody"'],
      [['invite', '--count', '0'], '1 to 999']
    ] as const) {
      const { code, errors } = await command([...args, `--dataDir=${dataDir}`], { input })
      t.match([code, errors], [1, words])
      t.notMatch(errors, '    at ')
    }
  })
})

t.test('coffer init', async t => {
  t.test('writes the answers to a file, with all settings explained', async t => {
    const cwd = t.testdir()
    const told = [
      './store',
      '',
      '8080',
      'https://data.example/',
      '',
      'Our data',
      '::1',
      'invited',
      'mail.example'
    ]
    const done = await commandProcess(['init'], { cwd, input: `${told.join('\n')}\n` })
    t.equal(done.code, 0, done.errors)
    const file = join(cwd, 'coffer.yaml')
    const text = readFileSync(file, 'utf8')
    t.equal(statSync(file).mode & 0o077, 0)
    t.match(parse(text), {
      dataDir: './store',
      port: 8080,
      publicUrl: 'https://data.example/',
      adminKey: /^[\w-]{32}$/,
      service: { name: 'Our data' },
      http: { trustedProxies: ['::1'] },
      registration: { invitationTokens: [/^[\w-]{16}$/] },
      services: { email: { smtp: { host: 'mail.example' } } }
    })
    t.match(text, '# Maximum size of a JSON body ')
    const shown = await commandProcess(['check-config'], { cwd })
    t.match(
      [shown.code, JSON.parse(shown.output)],
      [0, { port: 8080, service: { name: 'Our data' } }],
      shown.errors
    )
    const misnamed = await command(['check-config', '--audit.storage.filter.methods.exclude=events.gett'])
    t.match(
      [misnamed.code, misnamed.errors],
      [1, '"events.gett" is not a known method or group of methods; "events.get" is']
    )
    const again = await command(['init', '--yes', `--file=${file}`])
    t.match([again.code, again.errors], [1, 'already exists'])
    t.equal(readFileSync(file, 'utf8'), text)
  })

  t.test('does not prompt with --yes', async t => {
    const cwd = t.testdir()
    const at = `--file=${join(cwd, 'other.yaml')}`
    const done = await command(['init', '--yes', '--port', '9000', at, '--json'])
    t.equal(done.code, 0, done.errors)
    t.equal(JSON.parse(done.output).file, join(cwd, 'other.yaml'))
    t.match(await command(['check-config', `--config=${join(cwd, 'other.yaml')}`]), {
      code: 0,
      output: '"port": 9000'
    })
    rmSync(join(cwd, 'other.yaml'))
    t.match(await command(['init', '--yes', '--port=none', at]), { code: 1, errors: 'port (--port)' })
    const stranger = '\n'.repeat(7) + 'friends\n\n'
    t.match(await command(['init', at], { input: stranger }), {
      code: 1,
      errors: 'open, invited or closed'
    })
    t.match(await command(['init', '--yes', at, '--publicUrl=example.org']), { code: 1, errors: 'publicUrl' })
    t.match(await command(['init', at], { input: 'one\n' }), { code: 1, errors: 'Input ended' })
    t.notOk(existsSync(join(cwd, 'other.yaml')))
  })
})
