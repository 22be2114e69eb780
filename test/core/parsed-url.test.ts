/** Validating many URLs: Node's own `URL.canParse` starts to fail then. */
import t from 'tap'
import { coffer, type Client } from '../support/coffer.js'
import { inRotation, rotate } from '../support/rotation.js'
import { parseUrl, parseWebUrl } from '../../core/parse-url.js'
import { checkRedirectUri } from '../../core/redirect-uri.js'

const pairs = Array.from({ length: 128 }, (_value, first) =>
  Array.from({ length: 64 }, (_other, second) => String.fromCharCode(0x80 + first, 0x80 + second))
).flat()

t.test('parseUrl', async t => {
  const test = inRotation(t, 2)
  await test('accepts only URLs, also after a hundred thousand calls', async t => {
    for (let count = 0; count < 100_000; count++) parseUrl('http://a.example/')
    const wrong = pairs.filter(
      pair => isUrl(`http://a${pair}b/`) !== (parseUrl(`http://a${pair}b/`) !== undefined)
    )
    t.same(wrong, [])
  })

  await test('validates URLs from apps: none of them causes a 5xx', async t => {
    const service = await coffer(t, { access: { maxRequestsPerHour: 1e9 } })
    const ask = async (returnURL: string): Promise<number> => {
      const params = { requestingAppId: 'some-app', requestedPermissions: [], returnURL }
      const { error, status } = await service.call(undefined, 'authRequest.create', params)
      return error ? status : 200
    }
    for (let count = 0; count < 6000; count++) await ask(`http://Zoë${count}`)
    t.equal(await ask('http://Zoë/'), 200)
    for (const pair of rotate(t, pairs, 8)) {
      const status = await ask(`http://a${pair}b/`)
      if (status >= 500) t.fail(`${JSON.stringify(pair)}: ${status}`)
    }
  })
})

t.test(
  'URLs without two slashes and a host, which parsers complete, are refused from every caller',
  async t => {
    const wrong = [
      'https:evil.example',
      'https:/evil.example/back',
      'https:///evil.example',
      'https:\\\\evil.example',
      'https://evil.example\\@good.example/',
      'https://good.example\\.evil.example/',
      'ht\ntps://evil.example',
      ' https://evil.example',
      'https://'
    ]
    for (const url of wrong) t.equal(parseWebUrl(url), undefined, url)
    for (const url of ['https://a.example', 'HTTPS://A.example:8443?x', 'http://[::1]:80/', 'http://Zoë/#a'])
      t.equal(parseWebUrl(url)?.href, new URL(url).href)
    for (const url of wrong) t.type(checkRedirectUri(url, []), 'string', url)
    const service = await coffer(t, { access: { maxRequestsPerHour: 1e9 } })
    const { alice } = service
    const app = await alice.grant('read', '*', { type: 'app' })
    const request = { requestingAppId: 'some-app', requestedPermissions: [] }
    for (const url of wrong) {
      const calls: [Client | undefined, string, object][] = [
        [undefined, 'authRequest.create', { ...request, returnURL: url }],
        [app, 'webhooks.create', { url }],
        [alice, 'channels.create', { type: 'ntfy', name: 'x', target: { url, topic: 'health' } }]
      ]
      for (const [caller, method, params] of calls) {
        const { error } = await (caller
          ? caller.call(method, params)
          : service.call(undefined, method, params))
        t.match(error, { id: 'invalid-parameters-format' }, `${method} ${url}`)
      }
    }
  }
)

function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
