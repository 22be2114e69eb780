/** The output for people who start the service on a terminal, and its prompts. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { command } from '../support/command.js'
import { freePort } from '../support/free-ports.js'
import { onTerminal, terminalNeeded } from '../support/terminal.js'

t.setTimeout(900_000)
const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
const coffer = [process.execPath, cli]

t.test('the first start on a terminal', terminalNeeded(), async t => {
  const dataDir = join(t.testdir(), 'data')
  const port = await freePort()
  const settings = [`--dataDir=${dataDir}`, `--port=${port}`]
  const url = `http://127.0.0.1:${port}`

  await t.test('shows the addresses and the data directory, and the set-up link', async t => {
    const terminal = onTerminal(t, [...coffer, 'serve', ...settings])
    await terminal.shows('coffer reset-link')
    const shown = terminal.shown()
    for (const words of [
      `Open        ${url}/`,
      `Listens     ${url} (this machine only)`,
      `Data        ${dataDir} (no accounts yet)`,
      'open to anyone on this machine',
      'TLS: set up a proxy',
      'Public URL: set publicUrl',
      'services.email.smtp.host'
    ])
      t.match(shown, words)
    t.notMatch(shown, /^\{/m, 'no JSON')
    const [link = '', secret = ''] = new RegExp(`${url}/access/setup\\.html#([\\w-]{32})`).exec(shown) ?? []
    t.ok(link, shown)
    const post = async (path: string, body: object) =>
      await fetch(url + path, {
        method: 'POST',
        // Printed and returned links do not depend on this header.
        headers: { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example' },
        body: JSON.stringify(body)
      })
    const owner = {
      username: 'robin',
      password: 'a long password',
      email: 'robin@example.com',
      language: 'en'
    }
    const answer = await post('/system/setup', {
      secret,
      ...owner,
      choices: { serviceName: 'Our data', registration: 'open' }
    })
    t.match(await answer.json(), { username: 'robin', publicUrl: url })
    await terminal.shows(/Our data is running[^]*\(1 account\)[^]*coffer reset-link/)
    const later = terminal.shown().slice(terminal.shown().indexOf('Our data is running'))
    t.match(later, '(1 account)')
    t.notMatch(later, 'setup.html', 'there is an operator')
    // A kept-alive connection was closed by the restart after setup.
    const again = await post('/system/setup/look', { secret }).catch(
      async () => await post('/system/setup/look', { secret })
    )
    t.equal(again.status, 404)
    const info = await (await fetch(`${url}/service/info`)).json()
    t.match(info, { name: 'Our data' })
    t.notOk(existsSync(join(dataDir, 'setup-link')))
    t.notMatch(readFileSync(join(dataDir, 'settings.yaml'), 'utf8'), 'a long password')
  })

  await t.test('warns if anyone may register, and logs JSON on request', async t => {
    const open = onTerminal(t, [...coffer, 'serve', ...settings, '--host=0.0.0.0'])
    await open.shows('WARNING anyone who can reach this service can register')
    t.match(open.shown(), 'open to ANYONE who can reach the service')
    t.match(open.shown(), '(all addresses of this machine)')
    open.process.kill('SIGTERM')
    await open.ended
    const json = onTerminal(t, [...coffer, 'serve', ...settings, '--log.format=json'])
    await json.shows('"url"')
    t.notMatch(json.shown(), 'Ctrl+C')
  })
})

t.test('prompts on a terminal', terminalNeeded(), async t => {
  const dataDir = join(t.testdir(), 'data')
  const create = [...coffer, 'user', 'create', 'daisy', '--email=daisy@example.com', `--dataDir=${dataDir}`]

  await t.test('ask twice for passwords', async t => {
    const differing = onTerminal(t, create)
    await differing.shows('Password of daisy: ')
    differing.type('a long password\n')
    await differing.shows('Repeat: ')
    differing.type('another password\n')
    t.equal(await differing.ended, 1)
    t.match(differing.shown(), `The passwords don't match`)
    t.notMatch(differing.shown(), /a long password|another password/, 'they are not shown')
    const same = onTerminal(t, create)
    await same.shows('Password of daisy: ')
    same.type('a long password\n')
    await same.shows('Repeat: ')
    same.type('a long password\n')
    t.equal(await same.ended, 0, same.shown())
    t.match(await command(['user', 'list', `--dataDir=${dataDir}`]), { output: /^daisy/ })
  })

  await t.test('of init validate each answer immediately', async t => {
    const file = join(t.testdir(), 'coffer.yaml')
    const asked = onTerminal(t, [...coffer, 'init', `--file=${file}`])
    for (const [question, ...answers] of [
      ['Data directory', ''],
      ['Address to listen on', ''],
      ['Port to listen on', 'many', '70000', '8080'],
      ['Public URL', 'example.org', 'https://example.org'],
      ['Domain for', ''],
      ['Service name', ''],
      ['IP addresses of trusted proxies', 'banana', ''],
      ['Who can register', 'friends', 'invited'],
      ['Mail server', 'not a host', '']
    ]) {
      await asked.shows(question!)
      for (const [index, answer] of answers.entries()) {
        const count = (): number =>
          asked.shown().split(`${question} `).length + asked.shown().split(`${question}s `).length
        const before = asked.shown().length
        asked.type(`${answer}\n`)
        // An invalid answer is requested again, with the reason.
        if (index < answers.length - 1)
          await asked.shows(new RegExp(`^[^]{${before}}[^]*(?:must be|Enter )[^]*\\]: $`))
        t.ok(count() > 0)
      }
    }
    t.equal(await asked.ended, 0, asked.shown())
    t.match(readFileSync(file, 'utf8'), /^port: 8080$/m)
  })
})

t.test('coffer reset-link', async t => {
  const dataDir = join(t.testdir(), 'data')
  const at = `--dataDir=${dataDir}`
  const input = 'a long password\n'
  t.match(await command(['user', 'create', 'daisy', '--email=daisy@example.com', at], { input }), { code: 0 })
  const { code, errors, output } = await command(['reset-link', 'daisy', at])
  t.equal(code, 0, errors)
  t.match(
    output,
    /^http:\/\/127\.0\.0\.1:3000\/access\/reset-password\.html\?resetToken=[^&]+&username=daisy\n$/
  )
  t.match(errors, 'Works once')
  t.match(JSON.parse((await command(['reset-link', 'daisy', '--json', at])).output), {
    username: 'daisy',
    expires: Number
  })
  t.match(await command(['user', 'password', 'daisy', at], { input: 'quite another one\n' }), {
    code: 0,
    output: 'all sessions signed out'
  })
  t.match(await command(['user', 'unlock', 'daisy', at]), { code: 0, output: 'sign-in unlocked' })
  t.match(await command(['user', 'mfa-off', 'daisy', at]), {
    code: 0,
    output: 'two-factor authentication turned off'
  })
  const health = await command(['health', at])
  t.match([health.code, health.output], [1, /failed\tservice\tnot running.*\nok\tplatform/])
})
