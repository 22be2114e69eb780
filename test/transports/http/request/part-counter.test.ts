/** Parts of forms are counted whatever the chunk size. */
import t from 'tap'
import { PartCounter } from '../../../../transports/http/request/part-counter.js'

const delimiter = '--b0undary\r\n'
const part = `${delimiter}Content-Disposition: form-data; name="x"\r\n\r\n`
const decoys = `x${delimiter} \r\n--b0undary \r\n--b0undar\r\n\r`
const form = Buffer.from(`${part}one\r\n${part}${decoys}\r\n${part}\r\n--b0undary--\r\n`)

t.test('PartCounter', async t => {
  for (const size of [1, 2, 3, 7, 11, 12, 13, 40, form.length])
    t.test(`finds three in chunks of ${size}`, async t => {
      const counter = new PartCounter('multipart/form-data; charset=utf-8; boundary=b0undary')
      for (let at = 0; at < form.length; at += size) counter.push(form.subarray(at, at + size))
      t.equal(counter.count, 3)
    })

  const whole = form.subarray(0, -2)
  const followed = Buffer.concat([form, Buffer.from(part.repeat(3)), form])
  for (const size of [1, 2, 3, 7, 11, 12, 13, 40, followed.length])
    t.test(`ignores what follows the end in chunks of ${size}`, async t => {
      const counter = new PartCounter('multipart/form-data; boundary=b0undary')
      const taken: Buffer[] = []
      for (let at = 0; at < followed.length; at += size)
        taken.push(counter.push(followed.subarray(at, at + size)))
      t.same(Buffer.concat(taken), whole)
      t.equal(counter.count, 3)
    })

  const types: [type: string, count: number][] = [
    ['multipart/form-data; boundary="b0undary"', 3],
    ['multipart/form-data;BOUNDARY=b0undary;x=y', 3],
    ['multipart/form-data; x="; boundary=evil"; boundary=b0undary', 3],
    ['multipart/form-data; x="\\"; boundary=evil"; boundary=b0undary', 3],
    ['multipart/form-data; xboundary=evil; boundary=b0undary ', 3],
    ['multipart/form-data; boundary=b0undary; boundary=other', 0],
    ['multipart/form-data; boundary="b0undary"x', 0],
    ['multipart/form-data boundary=b0undary', 0],
    ['multipart/form-data; boundary=other', 0],
    ['multipart/form-data', 0]
  ]
  for (const [type, count] of types)
    t.test(`finds ${count} by ${type}`, async t => {
      const counter = new PartCounter(type)
      counter.push(form)
      t.equal(counter.count, count)
    })
})
