/** Service information in both forms of address; everything that it names exists. */
import t from 'tap'
import { readSettings } from '../../core/settings/load.js'
import { apiEndpoint, serviceInfo } from '../../core/service-info.js'
import { openCoffer, testConfig, type Overrides } from '../support/coffer.js'

t.test('service.info', async t => {
  t.test('returns URLs below the public URL', async t => {
    const config = testConfig('/nowhere', {
      publicUrl: 'https://coffer.example.com//',
      service: { name: 'Chest' }
    })
    const base = 'https://coffer.example.com'
    t.strictSame(serviceInfo(config), {
      register: `${base}/reg/`,
      access: `${base}/reg/access/`,
      api: `${base}/{username}/`,
      name: 'Chest',
      home: `${base}/`,
      support: `${base}/`,
      terms: `${base}/`,
      eventTypes: `${base}/www/event-types.json`,
      version: '1.6.21',
      serial: config.serial,
      assets: { definitions: `${base}/www/assets/index.json` },
      features: {
        noHF: false,
        contentQueries: true,
        textQueries: true,
        scopedNotifications: true,
        cmc: true,
        sharedSecrets: true,
        accessesUpdate: false,
        oauth2: true,
        dpop: true,
        mfa: { methods: ['totp'] }
      }
    })
    t.equal(apiEndpoint(config, 'alice', 'token'), 'https://token@coffer.example.com/alice/')
  })

  t.test('returns the assets and adapters that the operator adds', async t => {
    const model = 'https://model.example.com/pack.json'
    const adapters = ['https://adapters.example.com/{username}/', 'https://{username}.adapters.example.com/']
    const service = { assets: { 'my-model': model }, adapters }
    const config = testConfig('/nowhere', { publicUrl: 'https://coffer.example.com', service })
    t.match(serviceInfo(config), {
      assets: { definitions: 'https://coffer.example.com/www/assets/index.json', 'my-model': model },
      adapters
    })
    t.not(config.serial, testConfig('/nowhere', { publicUrl: 'https://coffer.example.com' }).serial)
    const problemsOf = (given: object): readonly string[] =>
      readSettings({ argv: [], env: {}, cwd: t.testdir(), pageSettings: { service: given } }).problems
    t.same(problemsOf(service), [])
    for (const wrong of [
      { assets: { definitions: model } },
      { assets: { 'my-model': 'javascript:alert(1)' } },
      { assets: { 'my-model': 1 } },
      { assets: { 'a b': model } },
      { assets: [model] },
      { adapters: ['ftp://example.com/'] },
      { adapters: ['https://user:secret@example.com/'] },
      { adapters: 'x' }
    ])
      t.equal(problemsOf(wrong).length, 1, JSON.stringify(wrong))
  })

  t.test('returns hosts below the domain', async t => {
    const config = testConfig('/nowhere', {
      domain: 'example.org',
      service: { home: 'https://home.test', terms: 'None.' }
    })
    t.match(serviceInfo(config), {
      register: 'https://reg.example.org/',
      access: 'https://access.example.org/',
      api: 'https://{username}.example.org/',
      home: 'https://home.test',
      support: 'https://home.test',
      terms: 'None.',
      eventTypes: 'https://example.org/www/event-types.json'
    })
    t.equal(apiEndpoint(config, 'alice', 'token'), 'https://token@alice.example.org/')
  })

  t.test('keeps the scheme and port of a public URL within the domain', async t => {
    const config = testConfig('/nowhere', { domain: 'example.org', publicUrl: 'http://www.example.org:8080' })
    t.equal(serviceInfo(config).api, 'http://{username}.example.org:8080/')
    const elsewhere = testConfig('/nowhere', {
      domain: 'example.org',
      publicUrl: 'http://www.notexample.org:8080'
    })
    t.equal(serviceInfo(elsewhere).api, 'https://{username}.example.org/')
  })

  t.test('has a serial that changes with its content', async t => {
    t.match(serial(), /^\d+$/)
    t.equal(serial(), serial())
    t.not(serial({ service: { name: 'Other' } }), serial())
    t.equal(serial({ storage: { maxOpenUsers: 5 } }), serial())
  })

  t.test('is served on all its routes, and so is everything that it names', async t => {
    const service = await openCoffer(t)
    const config = service.server.services.config
    const places = [
      '/service/info',
      '/service/infos',
      '/reg/service/info',
      '/access/service/info',
      '/alice/service/info'
    ]
    for (const path of places) {
      const { status, body } = await service.http('GET', path)
      t.equal(status, 200, path)
      t.match(body, { ...serviceInfo(config), meta: { serial: config.serial } })
    }
    t.match(await service.http('GET', '/nobody/service/info'), {
      status: 404,
      body: { error: { id: 'unknown-resource' } }
    })

    const { assets, eventTypes, register } = serviceInfo(config)
    const path = (url: string): string => url.slice(config.publicUrl.length)
    t.equal((await service.http('GET', path(eventTypes))).status, 200)
    t.equal((await service.http('GET', path(`${register}hostings`))).status, 200)

    const definitions = await service.http('GET', path(assets.definitions))
    const button = definitions.body['lib-js'].buttonSignIn
    t.equal(definitions.body.favicon.default.url, 'favicon.ico')
    const served = async (name: string, type: string) => {
      const answer = await service.http('GET', path(new URL(name, assets.definitions).href))
      t.equal(answer.status, 200, name)
      t.match(answer.headers.get('content-type'), type)
      return answer.body
    }
    await served('favicon.ico', 'image/x-icon')
    await served(definitions.body.css.default.url, 'text/css')
    await served(button.css, 'text/css')
    t.match(await served(button.html, 'text/html'), 'id="pryv-access-btn-text"')
    const messages = await served(button.messages, 'application/json')
    for (const key of ['LOADING', 'ERROR', 'LOGIN', 'SIGNOUT_CONFIRM']) t.type(messages[key].en, 'string')
  })
})

function serial(overrides: Overrides = {}): string {
  return serviceInfo(testConfig('/nowhere', overrides)).serial
}
