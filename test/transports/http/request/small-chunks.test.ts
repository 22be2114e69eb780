/** Bodies in very small chunks, which take far more memory than their content unless they are joined. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { Listener } from '../../../../transports/http/listener.js'
import { ChunkList } from '../../../../transports/http/request/small-chunks.js'
import { coffer, testConfig } from '../../../support/coffer.js'
import { measureHeap } from '../../../support/heap.js'
import { seeded } from '../../../support/random.js'

const head =
  'POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'

t.test('a body in chunks of one byte', async t => {
  t.test('is not stored byte by byte while it arrives', async t => {
    const service = await coffer(t)
    const { anonymous } = service.server.services.uploadBuffers
    const before = measureHeap()
    const socket = connect(Number(new URL(service.server.url).port))
    const size = 100_000
    socket.write(`${head}${'1\r\n \r\n'.repeat(size)}`)
    while (anonymous.bytes < size) await nextTurn()
    const bytes = measureHeap() - before
    t.ok(bytes < 50 * size, `${bytes} bytes`)
    socket.write('2\r\n{}\r\n0\r\n\r\n')
    t.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 400 .*invalid-parameters-format/s)
    socket.destroy()
  })

  t.test('is not stored byte by byte while nothing reads it', async t => {
    const config = testConfig('unused')
    const listener = await Listener.open(config)
    const socket = connect(listener.port)
    listener.serve(request => {
      void (async () => {
        while (request.readableLength < 10_000) await nextTurn()
        const pieces: Buffer[] = []
        request.on('data', piece => pieces.push(piece))
        await once(request, 'end')
        t.ok(pieces.length < 100, `${pieces.length} pieces`)
        t.equal(Buffer.concat(pieces).toString(), ' '.repeat(10_000))
        socket.destroy()
      })()
    }, config)
    socket.write(`${head}${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`)
    await once(socket, 'close')
    await listener.close(0)
  })
})

t.test('ChunkList', async t => {
  t.test('joins chunks in order, and small ones immediately', async t => {
    const random = seeded(t)
    const chunks = new ChunkList()
    const whole: Buffer[] = []
    for (let n = 0; n < 3000; n++) {
      const chunk = Buffer.alloc(random.below(random.below(20) === 0 ? 5000 : 20) + 1, n % 256)
      whole.push(chunk)
      chunks.add(chunk)
    }
    t.equal(chunks.size, Buffer.concat(whole).length)
    t.ok(chunks.join().equals(Buffer.concat(whole)))
  })

  t.test('does not keep small chunks', async t => {
    const chunks = new ChunkList()
    const before = measureHeap()
    const size = 100_000
    for (let n = 0; n < size; n++) chunks.add(Buffer.alloc(1))
    const bytes = measureHeap() - before
    t.ok(bytes < 50 * size, `${bytes} bytes`)
    t.equal(chunks.join().length, size)
  })
})
