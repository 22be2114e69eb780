/** Settings of OAuth: other names, keys of clients, and the public URL. (docs/api/oauth.md#clients) */
import { writeFileSync } from 'node:fs'
import { exportJWK, generateKeyPair } from 'jose'
import t from 'tap'
import { readSettings } from '../../../core/settings/load.js'
import { maskSecrets } from '../../../core/settings/values.js'
import { settingsList } from '../../../core/settings/list.js'
import { warnAboutPublicUrl } from '../../../core/service-info.js'
import { silentLog } from '../../../core/log.js'
import { testConfig, type Overrides } from '../../support/coffer.js'

t.test('lifetimes have a second name each', async t => {
  const cwd = t.testdir()
  const lifetimes = { accessTokenTTL: 100, refreshTokenTTL: 200, refreshTokenAbsoluteTTL: 300 }
  writeFileSync(`${cwd}/coffer.yaml`, JSON.stringify({ oauth: lifetimes }))
  const expected = { accessSeconds: 100, refreshSeconds: 200, refreshAbsoluteSeconds: 300 }
  t.match(readSettings({ argv: [], env: {}, cwd }).settings.oauth, expected, 'in a file')
  const env = { COFFER_OAUTH_ACCESS_TOKEN_TTL: '100' }
  t.match(readSettings({ argv: [], env, cwd: t.testdirName }).settings.oauth, { accessSeconds: 100 })
  const flags = readSettings({ argv: ['--oauth.refreshTokenTTL=500'], env: {}, cwd })
  t.match([flags.settings.oauth.refreshSeconds, flags.problems], [500, []])
})

/** Returns the problems of a client with these keys. */
const problemsOf = (...keys: object[]): string => {
  const apps = [{ id: 'some-app', oauth: { redirectURIs: ['https://a.example/'], keys } }]
  const argv = [`--access.apps=${JSON.stringify(apps)}`]
  return readSettings({ argv, env: {}, cwd: '/nowhere' }).problems.join()
}

t.test('keys of clients', async t => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const [jwk, secret] = [await exportJWK(publicKey), await exportJWK(privateKey)]
  const key = { kid: 'one', ...jwk }
  t.equal(problemsOf(key), '')
  t.equal(problemsOf(key, { ...key, kid: 'two', revoked: true, alg: 'ES256', use: 'sig' }), '')
  t.match(problemsOf(key, key), /keys\[1\] has the kid of another key/)
  t.match(problemsOf({ ...key, y: 'A'.repeat(43) }), /keys\[0\] is not a public key/)
  for (const wrong of [secret, { ...key, kid: '' }, { ...key, crv: 'P-384' }, { ...key, alg: 'RS256' }, {}])
    t.not(problemsOf(wrong), '', JSON.stringify(wrong))
})

t.test('URLs of offers are secrets', async t => {
  const apps = [
    {
      id: 'some-app',
      oauth: { redirectURIs: ['https://a.example/'], offers: { one: 'https://token@a.example/' } }
    }
  ]
  t.equal(
    readSettings({
      argv: [`--access.apps=${JSON.stringify(apps)}`],
      env: {},
      cwd: '/nowhere'
    }).problems.join(),
    ''
  )
  const { schema } = settingsList.find(({ key }) => key === 'access.apps')!
  t.notMatch(JSON.stringify(maskSecrets(schema, apps)), /token@/)
})

t.test('a public URL that clients cannot use is reported', async t => {
  const apps = [{ id: 'some-app', oauth: { redirectURIs: ['https://a.example/'] } }]
  const proxy = { http: { trustedProxies: ['10.0.0.1'] }, access: { apps } }
  const cases: [boolean, Overrides][] = [
    [false, { access: { apps } }],
    [false, { http: { trustedProxies: ['10.0.0.1'] } }],
    [true, proxy],
    [true, { host: '0.0.0.0', oauth: { registration: true } }],
    [true, { ...proxy, publicUrl: 'http://data.example.com' }],
    [true, { access: { apps }, publicUrl: 'http://data.example.com' }],
    [false, { ...proxy, publicUrl: 'https://data.example.com' }]
  ]
  for (const [isWarned, overrides] of cases) {
    const warnings: string[] = []
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
    warnAboutPublicUrl(testConfig('/nowhere', overrides), log)
    t.equal(
      warnings.some(text => text.includes('publicUrl')),
      isWarned,
      JSON.stringify(overrides)
    )
  }
})
