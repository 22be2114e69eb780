/** The format in the documentation is identical to the tested one, and works. (docs/api/imports.md#writing-a-format) */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { formats } from '../../imports/formats/index.js'
import type { ImportedRecord, SourceFile } from '../../imports/record.js'
import { readHead } from '../../imports/text/decode.js'
import { pulsar } from './pulsar.js'

const textOf = (path: string): string => readFileSync(join(packageDirectory, path), 'utf8')

/** Removes the first line of a module. */
function code(text: string): string {
  return text.slice(text.indexOf('\nimport ') + 1)
}

t.test('the documented example is the tested one', async t => {
  const [, shown = ''] = /```ts\n([^]*?)```/.exec(textOf('docs/api/imports.md')) ?? []
  const own = code(textOf('test/imports/pulsar.ts'))
    .replaceAll("'../../imports/formats/", "'./")
    .replaceAll("'../../imports/", "'../")
  t.equal(code(shown), own)
})

t.test('it reads its files, and no other format claims them before the tables do', async t => {
  const text = 'Worn;Pulse\n2024-05-01 08:00;61\n2024-05-01 08:01;\nyesterday;62\n"2024-05-01 08:02";"63"\n'
  async function* bytes(): AsyncGenerator<Buffer, void, undefined> {
    yield await Promise.resolve(Buffer.from(text))
  }
  const source: SourceFile = { name: 'a.txt', size: text.length, bytes }
  const head = await readHead(source)
  t.ok(pulsar.recognises(head))
  t.equal(formats.find(format => format.recognises(head))?.id, 'csv', 'it has to stand before csv')
  const data: ImportedRecord[] = []
  const leftOut: string[] = []
  const sink = {
    addRecord: (record: ImportedRecord) => void data.push(record),
    skip: (kind: string, reason: string) => void leftOut.push(`${kind} ${reason}`),
    addFile: () => Promise.resolve(),
    warn: (message: string) => t.fail(message)
  }
  const context = { options: { zone: 'Europe/Zurich' }, reportTable: () => undefined }
  await pulsar.read(source, head, sink, context)
  t.same(
    data.map(({ content, time }) => [time, content]),
    [
      [1714543200, 61],
      [1714543320, 63]
    ]
  )
  t.same(leftOut, ['reading without a number', 'reading without a time'])
})
