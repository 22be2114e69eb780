/** Messages about a file, in English and for other languages. */
import t from 'tap'
import { formatNotice, type Notice } from '../../imports/messages.js'
import { coffer } from '../support/coffer.js'
import { broughtIn, sent, total, zipOf } from '../support/importing.js'

const weights = 'time,weight (kg)\n2024-01-01 08:00,70\n'

t.test('warnings have an English text, and their values for other languages', async t => {
  const { alice } = await coffer(t)
  const deep = `<TrainingCenterDatabase>${'<a>'.repeat(200)}`
  const archive = await zipOf({
    'weights.csv': weights,
    'a.pdf': '%PDF-1.7',
    'b.bin': '\u0001',
    'c.tcx': deep
  })
  const { look } = await sent(alice, 'a.zip', archive)
  t.same(look.warnings, [
    '"a.pdf" is a PDF: ask the service or the app that made it for an export of data',
    '"b.bin" is not of a known format',
    '"c.tcx": It is nested deeper than 100 levels, as no export is'
  ])
  t.same(
    look.notices.map((each: Notice) => formatNotice(each)),
    look.warnings
  )
  t.same(look.notices[2], {
    message: '{name}: {message}',
    values: {
      name: '"c.tcx"',
      message: { message: 'It is nested deeper than {count} levels, as no export is', values: { count: 100 } }
    }
  })
  const again = await broughtIn(alice, 'a.zip', archive)
  t.same(again.look.notices, look.notices)
})

t.test('the reason why a file is unreadable has both forms', async t => {
  const { alice } = await coffer(t)
  const found = await sent(alice, 'a.pdf', '%PDF-1.7')
  t.equal(found.state, 'unreadable')
  t.equal(found.message, formatNotice(found.notice))
  t.equal(found.notice.message, 'The file is {is}: {advice}')
  const long = await sent(alice, 'a.zip', await zipOf({ [`${'n'.repeat(400)}.pdf`]: '%PDF-1.7' }))
  t.equal(long.message, formatNotice(long.notice))
  t.ok(long.message.length < 600)
})

t.test('skipped records are counted by reason, under their names in the file', async t => {
  const { alice } = await coffer(t)
  const kinds = Array.from({ length: 150 }, (_, at) => `<m${at}>1</m${at}>`).join('')
  const point = `<trkpt lat="46" lon="7"><time>2024-05-01T08:00:00Z</time>${kinds}</trkpt>`
  const { look, tally } = await sent(alice, 'a.gpx', `<gpx><trk><trkseg>${point}</trkseg></trk></gpx>`)
  for (const [reason, count] of Object.entries<number>(tally.leftOut))
    t.equal(total(look.leftOutKinds[reason]), count, reason)
  t.ok(Object.keys(look.leftOutKinds['of a kind without a type here']).length <= 101)
})
