/** Results as text, of which only as much is sent per turn as takes little time. */
import t from 'tap'
import { Caller } from '../../../core/permissions/caller.js'
import { MemberWriter } from '../../../core/dispatch/result-writer.js'
import { openCoffer, textsOf } from '../../support/coffer.js'

t.test('a long text is sent in chunks', async t => {
  const service = await openCoffer(t)
  const store = service.server.services.accounts.openStore(service.server.services.accounts.find('alice')!)
  const reader = { store, caller: new Caller(store, undefined) }
  // Each character is two code units: an odd one before them puts every even position inside one.
  for (const text of [
    '',
    'short',
    'a'.repeat(3_000_000),
    '😀'.repeat(1_200_000),
    `a${'😀'.repeat(1_200_000)}`
  ]) {
    const page = { text: JSON.stringify(text), count: 1, done: true }
    const writer = new MemberWriter({ list: { next: () => page }, plain: 1 })
    const pieces: string[] = []
    while (!writer.isTaken) {
      if (!writer.isDone) writer.write(reader)
      pieces.push(writer.takeChunk())
    }
    t.same(JSON.parse(`{${pieces.join('')}}`), { list: [text], plain: 1 })
    t.equal(
      Buffer.concat(pieces.map(piece => Buffer.from(piece))).toString(),
      pieces.join(''),
      'whole characters'
    )
    for (const piece of pieces) t.ok(piece.length <= 1024 * 1024)
    t.equal(pieces.length, Math.ceil((text.length + 30) / (1024 * 1024)))
  }
})

t.test('events of several megabytes are sent one by one, in chunks', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  for (let i = 0; i < 4; i++) await alice.event({ content: String(i).repeat(2_500_000), time: i })
  const outcome = await server.dispatcher.call({
    user: 'alice',
    method: 'events.get',
    params: { sortAscending: true },
    credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
  })
  const texts: string[] = []
  for await (const text of textsOf(outcome)) texts.push(text)
  t.ok(texts.length >= 40, `${texts.length} pieces`)
  for (const text of texts) t.ok(text.length <= 256 * 1024)
  const { events } = JSON.parse(`{${texts.join('')}}`) as { events: { content: string }[] }
  t.same(
    events.map(({ content }) => [content[0], content.length]),
    [0, 1, 2, 3].map(i => [String(i), 2_500_000])
  )
})
