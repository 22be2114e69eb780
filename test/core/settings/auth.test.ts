/** Settings of providers and passwords: errors are reported at start, and secrets are never displayed. */
import t, { type Test } from 'tap'
import { loadSettings, SettingsError } from '../../../core/settings/load.js'
import { listPublicSettings } from '../../../core/settings/public-settings.js'
import { command } from '../../support/command.js'

const provider = { name: 'work', issuer: 'https://id.example.org', clientId: 'coffer' }

function problemsOf(t: Test, auth: Record<string, unknown>): readonly string[] {
  const argv = Object.entries(auth).map(
    ([name, value]) => `--auth.${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
  )
  try {
    loadSettings({ argv, env: {}, cwd: t.testdir(), pageSettings: {} })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

t.test('providers', async t => {
  const right: Record<string, unknown>[] = [
    { oidc: [provider] },
    { oidc: [{ ...provider, label: 'Élan & Söhne', clientSecret: 'x', scopes: ['openid', 'groups'] }] },
    { oidc: [provider, { ...provider, name: 'home-2' }] },
    { oidc: [{ ...provider, issuer: 'http://127.0.0.1:9000' }] },
    { oidc: [{ ...provider, issuer: 'http://localhost:9000/realms/x' }] },
    { oidc: [{ ...provider, issuer: 'http://id.lan' }], oidcAllowInternalTargets: true },
    { oidc: [provider], passwords: 'off' }
  ]
  for (const auth of right) t.same(problemsOf(t, auth), [], JSON.stringify(auth))
  const wrong: [auth: Record<string, unknown>, words: RegExp][] = [
    [{ oidc: [{ ...provider, issuer: 'http://id.example.org' }] }, /oidc\[0\]\.issuer must begin with https/],
    [{ oidc: [{ ...provider, issuer: 'http://127.0.0.1.evil.example' }] }, /begin with https/],
    [{ oidc: [{ ...provider, issuer: 'ftp://id.example.org' }] }, /auth\.oidc .*issuer/],
    [{ oidc: [{ ...provider, issuer: 'https://id.example.org?x=1' }] }, /issuer/],
    [{ oidc: [{ ...provider, name: 'Work place' }] }, /name/],
    [{ oidc: [{ ...provider, name: '../x' }] }, /name/],
    [{ oidc: [provider, provider] }, /oidc\[1\]\.name "work" is already used/],
    [{ oidc: [{ ...provider, scopes: ['email'] }] }, /oidc\[0\]\.scopes must include "openid"/],
    [{ oidc: [{ ...provider, secondFactor: 'never' }] }, /secondFactor/],
    [{ oidc: [{ ...provider, unheardOf: 1 }] }, /unheardOf/],
    [{ oidc: [{ name: 'work' }] }, /issuer/],
    [{ oidc: 'work' }, /auth\.oidc/],
    [{ passwords: 'perhaps' }, /auth\.passwords/],
    [{ passwords: 'off' }, /no one could sign in/]
  ]
  for (const [auth, words] of wrong) t.match(problemsOf(t, auth).join('\n'), words, JSON.stringify(auth))
})

t.test('the client secret', async t => {
  const secret = 'never-to-be-shown'
  const oidc = JSON.stringify([{ ...provider, clientSecret: secret }])
  const settings = loadSettings({
    argv: [],
    env: { COFFER_AUTH_OIDC: oidc },
    cwd: t.testdir(),
    pageSettings: {}
  })
  t.equal(settings.auth.oidc[0]?.clientSecret, secret)

  await t.test('is masked on the administration page', async t => {
    const shown = listPublicSettings(settings).find(({ key }) => key === 'auth.oidc')
    t.same(shown?.value, [{ ...provider, clientSecret: '…' }])
  })

  await t.test('is not printed by check-config, valid or not', async t => {
    const printed = await command(['check-config', `--auth.oidc=${oidc}`])
    t.match(printed.output, 'id.example.org')
    t.notMatch(printed.output + printed.errors, secret)
    const odd = [{ ...provider, name: 'Odd name', clientSecret: secret }]
    t.notMatch(problemsOf(t, { oidc: odd }).join(), secret)
  })
})
