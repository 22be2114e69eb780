/** Rows parsed without `JSON.parse`, which must not differ by a bit. */
import t, { type Test } from 'tap'
import { formatRows, mergeRows, parseRows, splitRows, type Row } from '../../../storage/series/rows.js'
import { Random } from '../../support/random.js'

const odd = [0, -0, 0.1, -0.3, 1e21, 5e-7, -5e-324, 123456789012345, 1234567890123456, 0.1 + 0.2]
const large = [Number.MAX_SAFE_INTEGER, -99999999999.99, 99999999.999999, 1.00000000000001, 8.41e15]

/** Returns the bytes of all numbers, which tell 0 from -0. */
function toBytes(rows: readonly Row[]): string {
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'number' ? Buffer.from(Float64Array.of(value).buffer).toString('hex') : value
  )
}

function compare(t: Test, text: string): void {
  const expected = JSON.parse(`[${text}]`) as Row[]
  if (toBytes(parseRows(text)) !== toBytes(expected)) t.same(parseRows(text), expected, text)
}

t.test('numbers of all kinds', t => {
  for (const number of [...odd, ...large]) {
    for (const text of [`[${number}]`, `[0,${number}]`, `[${number},1,-2.5,${number}],[3,4]`])
      compare(t, text)
  }
  compare(t, '[-0,-0.0],[0.50,1.20]')
  t.end()
})

t.test('decimals with any number of digits', t => {
  const random = new Random(1)
  for (let round = 0; round < 20_000; round++) {
    const digits = String(random.below(1e15)).slice(0, 1 + random.below(15))
    const point = random.below(digits.length)
    const whole = String(Number(digits.slice(0, point) || '0'))
    compare(t, `[${round},${random.pick(['', '-'])}${whole}.${digits.slice(point)}]`)
  }
  t.end()
})

t.test('cells that are not numbers', t => {
  const cells = [null, true, 'x', '],[', '[7,', 'ŝŝ', 'śśĬİś', '', { a: [1, 2] }, [[3]]]
  for (const cell of cells)
    compare(
      t,
      formatRows([
        [1, 2],
        [2, cell, 3],
        [3, cell]
      ])
    )
  t.same(parseRows(''), [], 'no rows')
  t.end()
})

t.test('a chunk with one row is not split', t => {
  t.same(splitRows('[0,unreadable],[]', 1), ['0,unreadable],['])
  t.end()
})

t.test('a row with a value in each cell replaces a stored row unread', t => {
  t.same(mergeRows(['0,"unreadable'], [[0, 'new']]), ['0,"new"'])
  t.same(mergeRows(['0,"a",1'], [[0, null, 2]]), ['0,"a",2'])
  t.end()
})
