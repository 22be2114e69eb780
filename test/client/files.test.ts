/** Files by the client: upload and download, as streams, with progress. */
import { openAsBlob, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import t from 'tap'
import { addAttachments, Coffer, createEvent, readAttachment, upload } from '../../client/src/index.js'
import { postForm, type Xhr } from '../../client/src/post-form.js'
import { coffer } from '../support/coffer.js'
import { cofferOf, refusalOf, refuse, scripted } from '../support/own-client.js'

t.test('files', async t => {
  const { alice, server } = await coffer(t)
  await alice.stream('diary')
  const mine = cofferOf(alice)
  const event = { streamIds: ['diary'], type: 'file/attached' }
  const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251)

  await t.test('are uploaded from disk in chunks, with progress', async t => {
    const path = join(t.testdir(), 'large.bin')
    writeFileSync(path, bytes)
    const told: number[] = []
    const totals = new Set<number>()
    const { event: made } = await createEvent(
      mine,
      event,
      [{ fileName: 'a (large) ☕.bin', type: 'application/x-large', content: await openAsBlob(path) }],
      {
        onProgress(sent, total) {
          told.push(sent)
          totals.add(total)
        }
      }
    )
    const [file] = made.attachments!
    t.match(file, { fileName: 'a (large) ☕.bin', type: 'application/x-large', size: bytes.length })
    t.ok(told.length > 10, `${told.length} times`)
    t.ok(told.every((sent, index) => index === 0 || sent > told[index - 1]!))
    t.same([...totals], [told.at(-1)], 'the total is what has been sent in the end')

    const read: number[] = []
    const answer = await readAttachment(mine, made.id, file!.id, {
      onProgress: (done, total) => void read.push(done, total)
    })
    t.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes), 'the same bytes come back')
    t.same([read.at(-2), read.at(-1)], [bytes.length, bytes.length])
    const part = await readAttachment(mine, made.id, file!.id, { range: [10, 15] })
    t.same([part.status, [...new Uint8Array(await part.arrayBuffer())]], [206, [10, 11, 12, 13, 14]])
    const rest = await readAttachment(mine, made.id, file!.id, { range: [bytes.length - 2] })
    t.equal((await rest.arrayBuffer()).byteLength, 2)
  })

  await t.test('are uploaded as streams of unknown length', async t => {
    const { event: made } = await mine.call('events.create', event)
    let pulled = 0
    const content = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        if (pulled > 20) controller.close()
        else controller.enqueue(new Uint8Array(10_000).fill(pulled))
      }
    })
    const totals = new Set<number>()
    const { event: filled } = await addAttachments(
      mine,
      made.id,
      [
        { fileName: 'stream.bin', content },
        { fileName: 'note.txt', content: new Blob(['hello'], { type: 'text/plain' }) }
      ],
      { onProgress: (_sent, total) => void totals.add(total) }
    )
    t.match(filled.attachments, [
      { fileName: 'stream.bin', type: 'application/octet-stream', size: 200_000 },
      { fileName: 'note.txt', type: 'text/plain', size: 5 }
    ])
    t.same([...totals], [0])
  })

  await t.test('are uploaded in a native FormData', async t => {
    const form = new FormData()
    form.append('event', JSON.stringify(event))
    form.append('file', new Blob(['hello']), 'a\r\n.txt')
    const answer = await upload<{ event: object }>(mine, 'events', form)
    t.match(answer, { event: { attachments: [{ size: 5, type: 'application/octet-stream' }] } })
  })

  await t.test('are refused with the error of the server, and never sent twice', async t => {
    const file = { fileName: 'a.txt', content: new Blob(['hello']) }
    t.match(await refusalOf(addAttachments(mine, 'nowhere', [file])), { id: 'unknown-resource', status: 404 })
    t.match(await refusalOf(readAttachment(mine, 'nowhere', 'none')), { id: 'unknown-resource', status: 404 })
    const { asked, url } = await scripted(t, server.url, refuse(503, 0))
    t.match(await refusalOf(addAttachments(new Coffer(`${url}/alice/`), 'any', [file])), { status: 503 })
    t.equal(asked.length, 1)
  })

  await t.test('are sent only to the server, by fetch and by XMLHttpRequest', async t => {
    const form = new FormData()
    const elsewhere = 'https://elsewhere.example/events'
    t.match(await refusalOf(upload(mine, elsewhere, form)), { message: /is not below/ })
    class Never {
      readonly upload = { addEventListener: () => undefined }
      addEventListener(): void {}
      open(): void {
        t.fail('it is asked')
      }
    }
    const request = new Never() as unknown as Xhr
    t.match(await refusalOf(postForm(request, mine, elsewhere, form)), { message: /is not below/ })
  })

  await t.test('can be cancelled', async t => {
    const { event: made } = await mine.call('events.create', event)
    const gone = new AbortController()
    const content = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(100_000))
        gone.abort(new Error('enough'))
      }
    })
    const sending = addAttachments(mine, made.id, [{ fileName: 'endless', content }], { signal: gone.signal })
    t.match(await refusalOf(sending), { message: 'enough' })
    const { event: read } = await mine.call('events.getOne', { id: made.id })
    t.notOk('attachments' in read, 'nothing is kept')
  })
})
