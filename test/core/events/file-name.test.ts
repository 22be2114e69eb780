/** Names of files from outside: uploads, imports and connections (copies: core/mirrors/hostile-parts). */
import t from 'tap'
import { toFileName } from '../../../core/events/file-name.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, zipOf } from '../../support/importing.js'
import { connect, send } from '../../transports/receive/connecting.js'

/** Given names, and what is stored. */
const names: Readonly<Record<string, string>> = {
  'a photo (1) é ☕.jpg': 'a photo (1) é ☕.jpg',
  '\u{1f468}\u200d\u{1f469}.png': '\u{1f468}\u200d\u{1f469}.png',
  'photo\u202egpj.exe': 'photogpj.exe',
  '\u2067a\u2069\u200f.txt': 'a.txt',
  '../../etc/passwd': 'passwd',
  '..\\..\\windows\\win.ini': 'win.ini',
  'a\r\nSet-Cookie: a=b.txt': 'a  Set-Cookie: a=b.txt',
  'a\u0000b\u2028c.txt': 'a b c.txt',
  'x/..': 'file',
  '..': 'file',
  '/': 'file',
  ' \u202e\t': 'file',
  '.profile': '.profile'
}

t.test('a name is stored without what misleads', async t => {
  for (const [given, stored] of Object.entries(names)) {
    t.equal(toFileName(given), stored, `a name that becomes ${stored}`)
    t.equal(toFileName(stored), stored)
  }
  t.equal(toFileName('a\ud800.txt').isWellFormed(), true)
  t.equal(toFileName(`${'a'.repeat(1023)}\u{1F600}.txt`).length, 1024)
})

const misleading = 'photo\u202e\u0085gpj.exe'
const stored = 'photo gpj.exe'

async function listNames(client: Client): Promise<string[]> {
  const { events } = await client.do('events.get', { state: 'all', limit: 1000, fromTime: 0, toTime: 4e9 })
  return events.flatMap(({ attachments = [] }: Answer) => attachments.map(({ fileName }: Answer) => fileName))
}

t.test('uploads', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const event = await alice.event({ content: 'with a file' })
  const form = new FormData()
  form.append('file', new Blob(['x']), misleading)
  t.equal((await alice.http('POST', `/events/${event.id}`, form)).status, 200)
  t.same(await listNames(alice), [stored])
})

t.test('imports', async t => {
  const { alice } = await coffer(t)
  const attachments = Object.entries({ one: misleading, two: '../../two.txt' }).map(([id, fileName]) => ({
    id,
    fileName,
    type: 'text/plain',
    size: 3
  }))
  const event = { id: 'x', streamIds: ['diary'], time: 1.6e9, type: 'note/txt', content: 'x', attachments }
  const zip = await zipOf({
    'account.json': '{"format":"coffer-account"}',
    'tables/stream.jsonl': '{"id":"diary","body":{"name":"Diary"}}\n',
    'tables/event.jsonl': `${JSON.stringify({ number: 1, trashed: 0, body: event })}\n`,
    'attachments/one': 'one',
    'attachments/two': 'two'
  })
  t.equal((await broughtIn(alice, 'alice.zip', zip)).tally.broughtIn.attachment, 2)
  t.same((await listNames(alice)).toSorted(), [stored, 'two.txt'])
})

t.test('connections', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const message = { _type: 'location', lat: 46.5, lon: 6.6, acc: 12, tid: 'DA', poi: 'a view' }
  for (const [at, imagename] of [misleading, '', 'x'.repeat(5000)].entries()) {
    const image = Buffer.from(`ffd8ffe000104a46494600010101004800480000ffd90${at}`, 'hex').toString('base64')
    await send(alice, 'owntracks', connection, { ...message, tst: 1_795_694_400 + at, image, imagename })
  }
  const found = await listNames(alice)
  t.equal(found.length, 3)
  t.ok(found.includes(stored))
  t.ok(found.every(name => name !== '' && name.length <= 1024))
})
