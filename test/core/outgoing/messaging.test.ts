/** Calls of the messaging service with hostile values from users; and codes bound to one phone. */
import t, { type Test } from 'tap'
import { openCoffer, type Answer, type Overrides } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'

const odd = [
  '\ud800',
  'a\udfffb',
  '\u0000',
  'a\r\nX-Injected: 1',
  'ü',
  '日本',
  '\u010d\u010aX-Injected: 1',
  '..',
  '.',
  ''
]

/** Starts a service with Daisy, and a messaging service that is called with the phone that she enters. */
async function start(t: Test, endpoint: object, mode: 'single' | 'challenge-verify' = 'single') {
  const phone = await receiver(t)
  const single = { url: `${phone.url}/send`, method: 'POST', ...endpoint }
  const at = (url: string): string => url.replace('{phone}', phone.url)
  const filled = { ...single, url: at(single.url) }
  const endpoints = { single: filled, challenge: filled, verify: { ...filled, url: `${phone.url}/verify` } }
  const mfa = { mode, allowInternalTargets: true, maxMessages: 1000, sms: { endpoints } }
  const service = await openCoffer(t, { services: { mfa } } as Overrides)
  const daisy = await service.user('daisy')
  await service.call(undefined, 'test.noteSignIns', { username: 'daisy' })
  const activate = async (given: unknown): Promise<Answer> =>
    await daisy.call('mfa.activate', { phone: given })
  return { service, daisy, phone, activate }
}

t.test('a hostile value from a user', async t => {
  for (const [name, endpoint] of Object.entries({
    'in a URL': { url: '{phone}/to/{{ phone }}/send?to={{ phone }}', method: 'GET' },
    'in JSON': { body: '{"to": "{{ phone }}"}', headers: { 'content-type': 'application/json' } },
    'in a form': {
      body: 'to={{ phone }}&code={{ code }}',
      headers: { 'content-type': 'application/x-www-form-urlencoded' }
    },
    'in XML': {
      body: '<sms><to a="{{ phone }}">{{ phone }}</to></sms>',
      headers: { 'content-type': 'text/xml' }
    },
    'in a header': { headers: { 'x-to': '{{ phone }}' } },
    'in plain text': { body: 'To: {{ phone }}\nText: {{ code }}', headers: { 'content-type': 'text/plain' } }
  }))
    t.test(`${name} remains a single value in its place, or is refused`, async t => {
      const { activate, phone } = await start(t, endpoint)
      for (const value of odd) {
        const count = phone.deliveries.length
        const { error, mfaToken, status } = await activate(value)
        t.ok(mfaToken ?? status === 400, `${JSON.stringify(value)}: ${JSON.stringify(error)}`)
        for (const { headers, path, text } of phone.deliveries.slice(count)) {
          t.equal(headers['x-injected'], undefined)
          if (name === 'in a URL') t.match(path, /^GET \/to\/[^/]*\/send\?to=[^&]*$/)
          else t.equal(path, 'POST /send')
          if (name === 'in plain text') t.equal(text.split('\n').length, 2)
        }
      }
    })

  t.test('adds no markup to XML', async t => {
    const { activate, phone } = await start(t, {
      body: '<sms><to a="{{ phone }}">{{ phone }}</to></sms>',
      headers: { 'content-type': 'text/xml' }
    })
    await activate('"><to>evil</to>&x;\'')
    t.equal(phone.deliveries[0]!.text.match(/</g)!.length, 4)
    t.match(phone.deliveries[0]!.text, '&quot;&gt;&lt;to&gt;evil&lt;/to&gt;&amp;x;&#39;')
  })

  t.test('does not change the host of a URL', async t => {
    const { activate, phone } = await start(t, { url: '{phone}/a/{{ phone }}/{{ more }}/b' })
    for (const value of ['..', '.', '%2e%2e', '../..', '..\\..', '?x', '#x', '/', '//evil.example.com'])
      await activate(value)
    for (const { path } of phone.deliveries) t.match(path, /^POST \/a\/[^/]+\/[^/]+\/b$/)
  })
})

t.test('a code', async t => {
  const single = { body: '{"to": "{{ phone }}", "code": "{{ code }}"}' }

  t.test('has six digits', async t => {
    const { activate, phone } = await start(t, single)
    for (let count = 0; count < 20; count++) await activate('1')
    for (const { body } of phone.deliveries) t.match(body.code, /^\d{6}$/)
  })

  t.test('that was sent to one phone does not verify another one', async t => {
    const { daisy, phone, service } = await start(t, single)
    const confirm = async (token: string, code: string): Promise<Answer> =>
      await service.call('daisy', 'mfa.confirm', { code }, token)
    const own = await daisy.do('mfa.activate', { phone: 'her own' })
    const theirs = await daisy.do('mfa.activate', { phone: 'another' })
    const { code } = phone.deliveries.at(-1)!.body
    t.match(await confirm(own.mfaToken, code), { error: { id: 'invalid-code' } })
    t.ok((await confirm(theirs.mfaToken, code)).recoveryCodes)
  })

  t.test('is throttled also when guessed slowly', async t => {
    const { daisy, service } = await start(t, single)
    const guess = async (): Promise<number> => {
      await service.call(undefined, 'test.noteSignIns', { username: 'daisy' })
      const { mfaToken } = await daisy.do('mfa.activate', { method: 'totp' })
      return (await service.call('daisy', 'mfa.confirm', { code: 'wrong!' }, mfaToken)).status
    }
    const statuses: number[] = []
    for (let count = 0; count < 12; count++) {
      statuses.push(await guess())
      if (count % 4 === 3) service.clock.advance(901)
    }
    t.ok(statuses.includes(429), `what was wrong a while ago still counts: ${statuses.join(' ')}`)
  })
})
