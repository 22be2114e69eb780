/** Response heads: the first one, written by Node, equals the later ones, which are derived from it. */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'
import { rawBytes } from '../../../support/raw-http.js'

const word = 'été €'
const adminKey = 'key-of-the-operator'

/** Returns the responses to a request that is repeated on one connection, which the last one closes. */
function responses(text: string): { head: string[]; body: string }[] {
  return text.split(/(?=HTTP\/1\.1 )/).map(one => {
    const [head = '', body = ''] = one.split('\r\n\r\n')
    return { head: head.split('\r\n').filter(line => !line.startsWith('Date: ')), body }
  })
}

t.test('the head of a response', async t => {
  const { alice, server } = await coffer(t, { adminKey })
  await alice.stream('diary')
  await alice.event({ content: word })
  const request = (path: string, more = '', verb = 'GET'): string =>
    `${verb} /alice${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${alice.token}\r\n${more}\r\n`
  const close = 'Connection: close\r\n'

  for (const path of ['/events?limit=20', '/streams', '/access-info', '/events?limit=0'])
    await t.test(`is the same for repeated requests of ${path}`, async t => {
      const text = await rawBytes(server.url, `${request(path).repeat(3)}${request(path, close)}`)
      const [first, second, third, last, ...more] = responses(text)
      t.equal(more.length, 0)
      t.match(first!.head[0], 'HTTP/1.1 200 OK')
      t.ok(first!.head.includes('Connection: keep-alive'))
      t.same(second!.head.toSorted(), first!.head.toSorted())
      t.same(third!.head.toSorted(), first!.head.toSorted())
      t.same(
        last!.head.toSorted(),
        first!.head
          .filter(line => !line.startsWith('Keep-Alive'))
          .map(line => line.replace('Connection: keep-alive', 'Connection: close'))
          .toSorted()
      )
      for (const { head, body } of [first!, second!, third!, last!]) {
        const length = head.find(line => line.startsWith('Content-Length: '))
        t.equal(length, `Content-Length: ${Buffer.byteLength(body)}`)
        t.type(JSON.parse(body).meta, Object)
      }
      t.equal(text.match(/\r\nDate: /g)?.length, 4)
    })

  await t.test('has no length if there is never a body', async t => {
    const request = `DELETE /system/users/alice/wait HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${adminKey}\r\n`
    const text = await rawBytes(server.url, `${request}\r\n`.repeat(2) + `${request}${close}\r\n`)
    for (const { head, body } of responses(text)) {
      t.match(head[0], '204 No Content')
      t.notOk(
        head.some(line => /^(?:content|transfer)-/i.test(line)),
        'clients would wait for a body'
      )
      t.equal(body, '')
    }
    t.equal(responses(text).length, 3)
  })

  await t.test('is the same for HEAD as for GET, without a body', async t => {
    const path = '/streams'
    const text = await rawBytes(
      server.url,
      `${request(path)}${request(path)}${request(path, '', 'HEAD')}${request(path, close, 'HEAD')}`
    )
    const [, second, head, last] = responses(text)
    t.same(head!.head.toSorted(), second!.head.toSorted())
    t.equal(head!.body, '')
    t.equal(last!.body, '')
  })

  await t.test('names the origin of the request, whatever the previous one was', async t => {
    const origin = 'https://app.example'
    const text = await rawBytes(
      server.url,
      `${request('/streams').repeat(2)}${request('/streams', `Origin: ${origin}\r\n`).repeat(2)}${request('/streams', close)}`
    )
    const origins = responses(text).map(({ head }) =>
      head.find(line => line.startsWith('Access-Control-Allow-Origin: '))?.slice(29)
    )
    t.same(origins, ['*', '*', origin, origin, '*'])
  })

  await t.test('follows a 100 Continue if the client expects that', async t => {
    const body = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: word })
    const more = `Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    const text = await rawBytes(
      server.url,
      `${request('/events', more, 'POST')}${body}${request('/events', `${more}${close}`, 'POST')}${body}`
    )
    const statuses = responses(text).map(({ head }) => head[0])
    t.same(statuses, [
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 201 Created',
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 201 Created'
    ])
    t.ok(text.includes(word))
  })
})
