/** Binary data in params: it is found wherever it may be, with a limited search. */
import t from 'tap'
import { containsBinary } from '../../../transports/websocket/binary.js'

t.test('containsBinary', async t => {
  t.test('finds binary data at any depth', async t => {
    const bytes = new Uint8Array([1])
    for (const value of [bytes, bytes.buffer, { a: [{ b: bytes }] }, [1, 'x', null, Buffer.from('x')]])
      t.ok(containsBinary(value))
    let deep: unknown = bytes
    for (let depth = 0; depth < 5000; depth++) deep = [deep]
    t.ok(containsBinary(deep))
    for (const value of [undefined, null, 'x', 1, {}, { a: [{ b: 'c' }] }, 'x'.repeat(100_000)])
      t.notOk(containsBinary(value))
  })

  t.test('inspects no more values than a message can contain', async t => {
    let looks = 0
    const counted = (): object =>
      Object.defineProperty({}, 'x', { enumerable: true, get: () => void looks++ })
    const many = Array.from({ length: 1_000_000 }, counted)
    t.notOk(containsBinary({ many }))
    t.equal(looks, 0)
    t.notOk(containsBinary(Array.from({ length: 1000 }, () => many.slice(0, 1000))))
    t.ok(looks < 20_000, `${looks} looks`)
  })
})
