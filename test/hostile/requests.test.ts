/**
 * Anonymous requests that are designed to need much time or memory: credentials, forms, queries, headers and paths of
 * maximum length. None of them has a valid token.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { coffer, type Service } from '../support/coffer.js'
import { rawHttp } from '../support/raw-http.js'
import { socketOf, connect } from '../support/socket.js'

t.setTimeout(900_000)

/** The long form tries every part; otherwise one in three in rotation. */
const turns = process.env['COFFER_TEST_LONG'] === '1' ? 1 : 3
let turn = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${turn}`)

/** Repeated parts of texts; the first one is harmless. */
const parts = [
  'x',
  ' ',
  '\n',
  '\t',
  'a ',
  ': ',
  '/',
  '.',
  ',',
  ';',
  '=',
  '"',
  '\\',
  '[',
  '&',
  '%41',
  '+',
  '0',
  '-',
  '*'
]

/** Returns the CPU time in milliseconds until a response. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const used = process.cpuUsage()
  await run()
  const { system, user } = process.cpuUsage(used)
  return (system + user) / 1000
}

/** Asserts that a request needs no more time with one text than with another of the same length. */
async function assertQuick(t: Test, name: string, send: (text: string) => Promise<unknown>, size: number) {
  const textOf = (part: string): string => part.repeat(size / part.length)
  await send(textOf('x'))
  const usual = await timeOf(() => send(textOf('x')))
  turn++
  for (const part of parts.filter((_each, at) => (at + turn) % turns === 0)) {
    let time = await timeOf(() => send(textOf(part)))
    // Repeated, since other work of the process must not count.
    if (time > 150 && time > 8 * usual) time = await timeOf(() => send(textOf(part)))
    const isSlow = time > 150 && time > 8 * usual
    t.notOk(isSlow, `${name} of ${JSON.stringify(part)}: ${time.toFixed()} ms, usually ${usual.toFixed()} ms`)
  }
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' }

async function form(service: Service, body: string, path = '/alice/events'): Promise<number> {
  const headers = { ...formType, 'content-encoding': 'deflate' }
  const response = await fetch(service.server.url + path, {
    method: 'POST',
    headers,
    body: deflateSync(body)
  })
  await response.arrayBuffer()
  return response.status
}

async function get({ server }: Service, path: string): Promise<unknown> {
  return await rawHttp(server.url, { path })
}

t.test('an anonymous request needs time linear in its length', async t => {
  const service = await coffer(t, { throttle: { invalidTokens: 1e9 } })
  const encoded = encodeURIComponent
  /** Long enough for quadratic algorithms to need a minute. */
  const size = 250_000
  const cases: [name: string, send: (text: string) => Promise<unknown>, length: number][] = [
    ['a token in a form', text => form(service, `_method=GET&_auth=${encoded(text)}x`), size],
    ['a scheme in a form', text => form(service, `_method=GET&_auth=${encoded(`Basic ${text}x\ny`)}`), size],
    ['another scheme', text => form(service, `_method=GET&_auth=${encoded(`bearer${text}`)}x`), size],
    ['a caller id', text => form(service, `_method=GET&_auth=${encoded(`token ${text}`)}x`), size],
    ['a method', text => form(service, `_auth=x&_method=${encoded(text)}x`), size],
    ['JSON in a form', text => form(service, `_auth=x&_json=${encoded(JSON.stringify(text))}`), size],
    ['a name', text => form(service, `${encoded(text)}]=x&_auth=x`), size],
    ['a form', text => form(service, text), size],
    ['a form of services', text => form(service, text, '/reg/users'), size],
    ['a query', text => get(service, `/alice/events?${encoded(text).slice(0, 50_000)}`), 50_000],
    ['a path', text => get(service, `/alice/${encoded(text).slice(0, 50_000)}`), 50_000],
    ...['/reg/', '/access/', '/www/assets/', '/docs/', '/'].map((path): (typeof cases)[number] => [
      `a path below ${path}`,
      text => get(service, path + text.replaceAll(/[^!-~]/g, '%20').slice(0, 50_000)),
      50_000
    ])
  ]
  for (const [name, send, length] of cases) await assertQuick(t, name, send, length)
})

t.test('a header needs time linear in its length', async t => {
  const service = await coffer(t, {
    throttle: { invalidTokens: 1e9 },
    http: { trustedProxies: ['127.0.0.1'] }
  })
  const names = [
    'authorization',
    'origin',
    'referer',
    'cookie',
    'accept',
    'accept-encoding',
    'accept-language',
    'content-type',
    'content-encoding',
    'if-none-match',
    'if-range',
    'range',
    'x-forwarded-for',
    'x-forwarded-proto',
    'access-control-request-headers'
  ]
  const ask = async (name: string, text: string): Promise<void> => {
    const headers = { [name]: text.replaceAll('\n', ' ') }
    for (const path of ['/alice/events', '/', '/access/access.html'])
      await rawHttp(service.server.url, { path, headers })
    await rawHttp(service.server.url, { verb: 'POST', path: '/alice/events', headers })
  }
  for (const name of names) {
    await assertQuick(t, name, text => ask(name, text), 50_000)
    await assertQuick(
      t,
      `${name}, begun`,
      text => ask(name, `Basic "a", bytes=0-; q=${text}`.slice(0, 50_000)),
      50_000
    )
  }
})

t.test('a handshake needs time linear in the length of its token', async t => {
  const service = await coffer(t, { throttle: { invalidTokens: 1e9 } })
  const { alice, server } = service
  await socketOf(t, alice)
  const shake = async (text: string): Promise<void> => {
    const options = { options: { auth: { auth: text } } }
    await t.rejects(connect(t, server.url, 'alice', undefined, options))
  }
  await assertQuick(t, 'a token', shake, 30_000)
})

t.test('a form of three megabytes needs less than 150 MB and a second', async t => {
  const service = await coffer(t)
  const names = Array.from({ length: 400_000 }, (_value, index) => `${index.toString(36)}=`).join('&')
  const forms = [
    names,
    'a&'.repeat(1_500_000),
    'a=1&'.repeat(750_000),
    '&'.repeat(3_000_000),
    `${'n'.repeat(1_500_000)}=x`,
    Array.from({ length: 40_000 }, (_value, index) => `${index}[]=x&${index}=y`).join('&')
  ]
  for (const body of forms) {
    const before = memory('VmRSS')
    const time = await timeOf(async () => t.equal(await form(service, body), 400, body.slice(0, 20)))
    const megabytes = (memory('VmHWM') - before) / 1024
    t.ok(megabytes < 150, `${body.slice(0, 20)}… takes ${megabytes.toFixed()} MB`)
    t.ok(time < 1000, `${body.slice(0, 20)}… takes ${time.toFixed()} ms`)
  }
})

/** Returns the process's memory (`VmRSS`), or its peak since the last call (`VmHWM`), in KiB. (Linux) */
function memory(name: 'VmRSS' | 'VmHWM'): number {
  const [, size = ''] = new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  if (name === 'VmRSS') writeFileSync('/proc/self/clear_refs', '5')
  return Number(size)
}
