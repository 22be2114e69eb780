/** The load generator's reader must find the end of any response, however it is chunked. */
import t from 'tap'
import { ResponseReader } from '../../../scripts/bench/load/response-reader.js'

const responses = [
  { name: 'counted', status: 200, text: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' },
  { name: 'empty', status: 204, text: 'HTTP/1.1 204 No Content\r\n\r\n' },
  {
    name: 'chunked',
    status: 201,
    text: 'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\n0\r\n\r\n0\r\n\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n'
  },
  { name: 'refused', status: 404, text: 'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}' }
]

t.test('a response is complete with its last byte', async t => {
  for (const { name, status, text } of responses)
    for (const size of [1, 2, 3, 7, 1000]) {
      const reader = new ResponseReader()
      const bytes = Buffer.from(text)
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size)
      )
      const told = pieces.map(piece => reader.feed(piece))
      t.equal(told.at(-1), status, `${name}, ${size} bytes at a time`)
      t.ok(told.slice(0, -1).every(value => value === undefined))
    }
})

t.test('a reader is ready for the next response after each', async t => {
  const reader = new ResponseReader()
  for (const { status, text } of [...responses, ...responses]) t.equal(reader.feed(Buffer.from(text)), status)
})
