/** Imports of each format: a second import is recognised, and undoing leaves nothing. */
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { broughtIn, sent, takenOut, total, written } from '../../support/importing.js'
import { smallFiles } from '../../imports/small-files.js'
import { rotate } from '../../support/rotation.js'

t.setTimeout(900_000)

const name = '"><img src=x onerror="window.hacked=1"> & <b>bold</b>'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
/** Parts of a file that a cut leaves: in the short form, one of them. */
const parts = [0.8, 0.4]

/** Returns everything in an account. */
async function answers(client: Client): Promise<Answer> {
  const { events } = await client.do('events.get', { state: 'all', limit: 10_000, fromTime: 0, toTime: 4e9 })
  const { streams } = await client.do('streams.get', { state: 'all' })
  return { events, streams }
}

/** Files of which parts and longer versions are imported, too. */
const varied = new Set(rotate(t, smallFiles, 2))
const service = await coffer(t)
for (const [place, file] of smallFiles.entries()) {
  const { fileName, format, make } = file
  t.test(`${format}, as ${fileName}`, async t => {
    const alice = await service.user(`alice${place}`)
    const before = await answers(alice)
    const first = await broughtIn(alice, fileName, make(3, name))
    t.equal(first.state, 'written', first.message)
    t.equal(first.look.format, format)
    const all = total(first.tally.broughtIn)
    t.ok(all >= 3, 'each record is brought in')
    t.equal(all + total(first.tally.leftOut), total(first.look.records), 'and every other one is counted')
    const whole = await answers(alice)

    const again = await broughtIn(alice, `again ${fileName}`, make(3, name))
    t.same(again.tally.broughtIn, {}, 'a copy adds nothing')
    t.same(again.tally.known, first.tally.broughtIn)
    const bytes = Buffer.from(make(3, name))
    for (const part of isLong ? parts : varied.has(file) ? [parts[(place >> 1) % 2]!] : []) {
      const cut = await sent(alice, `cut ${fileName}`, bytes.subarray(0, bytes.length * part))
      if (cut.state === 'unreadable') continue
      const { tally } = await written(alice, cut.id)
      t.same(tally.broughtIn, {}, `nor do ${part} of it`)
    }
    t.same(await answers(alice), whole)

    if (varied.has(file)) {
      const longer = await broughtIn(alice, `longer ${fileName}`, make(4, name))
      t.same(longer.tally.known, first.tally.broughtIn, 'a longer one adds what is new')
      t.equal(total(longer.tally.broughtIn) * 3, all)
    }
    const { imports } = await alice.do('imports.get')
    for (const { id, state } of imports) if (state === 'written') await takenOut(alice, id)
    t.same(await answers(alice), before, 'nothing is left of them')
  })
}
