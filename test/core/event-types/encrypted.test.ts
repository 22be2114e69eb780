/** Encrypted contents and their files are stored and returned as they were sent. (docs/spec/event-types.md#encrypted-contents) */
import { createCipheriv, createECDH, createHash, hkdfSync, randomBytes } from 'node:crypto'
import t from 'tap'
import { coffer } from '../../support/coffer.js'

const content = Buffer.from('{"systolic":120}')

/** Encrypts as clients do: vector, content, tag. */
function encrypt(key: Buffer): Buffer {
  const vector = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, vector)
  return Buffer.concat([vector, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/** Encrypts for the owner of a public key: an ephemeral key comes first. */
function encryptFor(publicKey: Buffer): Buffer {
  const own = createECDH('prime256v1')
  const ephemeral = own.generateKeys()
  const secret = own.computeSecret(publicKey)
  const key = hkdfSync('sha256', secret, Buffer.alloc(0), 'encrypted/ecies-aes-256-gcm', 32)
  return Buffer.concat([ephemeral, encrypt(Buffer.from(key))])
}

/** A real picture of one pixel, which would have a preview in an event of type `picture/attached`. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

t.test('encrypted events', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const recipient = createECDH('prime256v1')
  const payloads = {
    'encrypted/aes-256-gcm': encrypt(randomBytes(32)),
    'encrypted/ecies-aes-256-gcm': encryptFor(recipient.generateKeys()),
    'encrypted/aes-text-base64': randomBytes(64)
  }
  for (const [type, bytes] of Object.entries(payloads))
    await t.test(type, async t => {
      const sent = { payload: bytes.toString('base64'), keyRef: 'key-1', hint: 'about a measurement' }
      const form = new FormData()
      form.append('event', JSON.stringify({ streamIds: ['diary'], type, content: sent }))
      form.append('file', new Blob([picture], { type: 'image/png' }), 'secret.png')
      const { body, status } = await alice.http('POST', '/events', form)
      t.equal(status, 201)
      const { attachments, id } = body.event
      const url = `${alice.service.server.url}/alice/events/${id}`
      const options = { headers: { Authorization: alice.token } }
      const read = (await alice.do('events.getOne', { id })).event
      t.same(read.content, sent)
      t.ok(Buffer.from(read.content.payload, 'base64').equals(bytes))
      const file = await fetch(`${url}/${attachments[0].id}`, options)
      t.equal(file.headers.get('content-type'), 'image/png')
      const received = Buffer.from(await file.arrayBuffer())
      t.equal(
        createHash('sha256').update(received).digest('hex'),
        createHash('sha256').update(picture).digest('hex')
      )
      const preview = await fetch(`${alice.service.server.url}/alice/previews/events/${id}`, options)
      t.equal(preview.status, 204, 'no preview is made of it')
      const changed = { payload: randomBytes(40).toString('base64') }
      t.same((await alice.do('events.update', { id, update: { content: changed } })).event.content, changed)
      const refused = await alice.call('events.update', { id, update: { content: { keyRef: 'key-1' } } })
      t.match(refused, { error: { id: 'invalid-parameters-format' } })
    })
})
