/**
 * The pages on which users decide, where they return to, and what both receive.
 * (docs/spec/app-authorization.md#the-page; docs/spec/app-authorization.md#returning-to-the-app)
 */
import t from 'tap'
import {
  resolveAuthPage,
  assertReturnUrl,
  pollUrl,
  buildReturnUrl
} from '../../../core/accesses/auth-page.js'
import { testConfig, type Overrides } from '../../support/coffer.js'

const config = (overrides: Overrides = {}) =>
  testConfig('unused', { publicUrl: 'https://coffer.example.com', ...overrides })
const asked = { requestingAppId: 'asking-app', requestedPermissions: [], lang: 'en' }

t.test('authPage', async t => {
  const trustedAuthUrls = [
    'https://pages.example.com/sign',
    'http://test.example.com:8080/',
    'https://x.yz/a/'
  ]
  const trusted = [
    'https://pages.example.com/sign',
    'https://PAGES.example.com:443/sign?theme=dark#/start',
    'https://pages.example.com/sign/in/here.html',
    'https://pages.example.com/other/../sign',
    'http://test.example.com:8080/whatever',
    'https://x.yz/a/b'
  ]
  const untrusted = [
    'http://pages.example.com/sign',
    'https://pages.example.com:8443/sign',
    'https://pages.example.com/signs',
    'https://pages.example.com/sign/../other',
    'https://pages.example.com/sign/%2e%2e/other',
    'https://pages.example.com/sign/..%2fother',
    'https://pages.example.com/sign/..%5Cother',
    'https://pages.example.com/',
    'https://pages.example.com.evil.com/sign',
    'https://pages.example.com@evil.com/sign',
    'https://user@pages.example.com/sign',
    'https://user:secret@pages.example.com/sign',
    'https://evil.com/https://pages.example.com/sign',
    'https://evil.com\\@pages.example.com/sign',
    'https://evil.pages.example.com/sign',
    'https://x.yz/a',
    'http://test.example.com/',
    'javascript:alert(1)//https://pages.example.com/sign',
    'data:text/html,hello',
    '//pages.example.com/sign',
    '/access/access.html',
    ''
  ]

  t.test('accepts trusted pages and pages below them', async t => {
    const trusting = config({ access: { trustedAuthUrls } })
    for (const url of [...trusted, 'https://coffer.example.com/access/access.html'])
      t.equal(resolveAuthPage(trusting, url), new URL(url).href)
  })

  t.test('refuses other pages', async t => {
    const trusting = config({ access: { trustedAuthUrls } })
    for (const url of untrusted)
      t.match(
        refusal(() => resolveAuthPage(trusting, url)),
        { id: 'invalid-parameters-format', details: { data: [{ code: 'UNTRUSTED_AUTH_URL' }] } },
        url
      )
  })

  t.test('is the default page if none is requested', async t => {
    t.equal(resolveAuthPage(config(), undefined), 'https://coffer.example.com/access/access.html')
    const defaultAuthUrl = 'https://pages.example.com/in'
    const own = config({ access: { defaultAuthUrl } })
    t.equal(resolveAuthPage(own, undefined), defaultAuthUrl)
    t.equal(resolveAuthPage(own, `${defaultAuthUrl}/fr`), `${defaultAuthUrl}/fr`)
  })
})

t.test('pollUrl ends in access/ and the key, with paths and with subdomains', async t => {
  t.equal(pollUrl(config(), 'k'), 'https://coffer.example.com/reg/access/k')
  t.equal(pollUrl(config({ domain: 'example.org' }), 'k'), 'https://access.example.org/access/k')
})

t.test('assertReturnUrl', async t => {
  const allowing = config({ access: { returnSchemes: ['MyApp', 'javascript'] } })
  t.test('accepts web pages and listed app schemes', async t => {
    const good = [
      'https://app.example.com/#',
      'http://localhost:8080/page?x=1&',
      'myapp://callback?',
      'myapp:callback',
      'MYAPP://x'
    ]
    for (const url of good) t.doesNotThrow(() => assertReturnUrl(allowing, url), url)
  })

  t.test('refuses all other URLs', async t => {
    const bad = [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://app.example.com/x',
      'file:///etc/passwd',
      'otherapp://callback',
      'https://user:secret@app.example.com/',
      'https://app.example.com/\r\nSet-Cookie: a=b',
      '//app.example.com/',
      '/here',
      '',
      'nonsense'
    ]
    for (const url of bad)
      t.match(
        refusal(() => assertReturnUrl(allowing, url)),
        { id: 'invalid-parameters-format' },
        JSON.stringify(url)
      )
  })
})

t.test('returnTarget', async t => {
  const returns = [
    [
      'https://app.example.com/',
      'https://app.example.com/?prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'
    ],
    [
      'https://app.example.com/#',
      'https://app.example.com/#prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'
    ],
    ['https://a.b/?c=d', 'https://a.b/?c=d&prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'],
    ['https://a.b/?c=d&', 'https://a.b/?c=d&prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'],
    ['https://a.b/#/in', 'https://a.b/#/in&prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'],
    ['myapp:back?', 'myapp:back?prYvpoll={poll}&prYvkey={key}&prYvstatus={status}'],
    [false, undefined],
    [undefined, undefined]
  ] as const

  for (const [returnURL, form] of returns)
    t.test(`passes the poll URL to ${returnURL}`, async t => {
      const poll = encodeURIComponent('https://coffer.example.com/reg/access/KEY')
      const request = { ...asked, ...(returnURL !== undefined && { returnURL }) }
      const target = form?.replace('{poll}', poll).replace('{key}', 'KEY').replace('{status}', 'REFUSED')
      t.equal(buildReturnUrl(config(), 'KEY', request, 'REFUSED'), target)
    })

  t.test('follows OAuth if the app sent a state', async t => {
    const request = { ...asked, returnURL: 'https://a.b/c?d=e&state=x#f', oauthState: 'a&b c' }
    const poll = encodeURIComponent('https://coffer.example.com/reg/access/KEY')
    t.equal(
      buildReturnUrl(config(), 'KEY', request, 'ACCEPTED'),
      `https://a.b/c?d=e&state=a%26b%20c&code=KEY&poll=${poll}#f`
    )
  })

  t.test('names its parameters with the configured prefix', async t => {
    const own = config({ access: { parameterPrefix: 'own' } })
    const request = { ...asked, returnURL: 'https://a.b/#' }
    t.match(buildReturnUrl(own, 'KEY', request, 'REFUSED'), /#ownpoll=.*&ownkey=KEY&ownstatus=REFUSED$/)
  })
})

/** Returns the thrown error. */
function refusal(check: () => unknown): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}
