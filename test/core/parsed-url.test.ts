/** Validating many URLs: Node's own `URL.canParse` starts to fail then. */
import t from 'tap'
import { coffer } from '../support/coffer.js'
import { parseUrl } from '../../core/parse-url.js'

const pairs = Array.from({ length: 128 }, (_value, first) =>
  Array.from({ length: 64 }, (_other, second) => String.fromCharCode(0x80 + first, 0x80 + second))
).flat()

t.test('parseUrl', async t => {
  t.test('accepts only URLs, also after a hundred thousand calls', async t => {
    for (let count = 0; count < 100_000; count++) parseUrl('http://a.example/')
    const wrong = pairs.filter(
      pair => isUrl(`http://a${pair}b/`) !== (parseUrl(`http://a${pair}b/`) !== undefined)
    )
    t.same(wrong, [])
  })

  t.test('validates URLs from apps: none of them causes a 5xx', async t => {
    const service = await coffer(t, { access: { maxRequestsPerHour: 1e9 } })
    const ask = async (returnURL: string): Promise<number> => {
      const params = { requestingAppId: 'some-app', requestedPermissions: [], returnURL }
      const { error, status } = await service.call(undefined, 'authRequest.create', params)
      return error ? status : 200
    }
    for (let count = 0; count < 6000; count++) await ask(`http://Zoë${count}`)
    t.equal(await ask('http://Zoë/'), 200)
    for (const pair of pairs) {
      const status = await ask(`http://a${pair}b/`)
      if (status >= 500) t.fail(`${JSON.stringify(pair)}: ${status}`)
    }
  })
})

function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
