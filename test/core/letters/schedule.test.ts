import t from 'tap'
import { findNextLetter, getLetterWeek } from '../../../core/letters/schedule.js'
import { formatDate } from '../../../schemas/zones.js'

const zone = 'Europe/Zurich'
const monday = { weekday: 1, time: '08:00', zone }
const at = (text: string): number => Date.parse(text) / 1000
const show = (time: number): string => new Date(time * 1000).toISOString()

t.test('a letter', async t => {
  t.test('is due on its weekday at its time, by local clocks', async t => {
    t.equal(show(findNextLetter(monday, at('2026-01-07T12:00:00Z'))), '2026-01-12T07:00:00.000Z')
    t.equal(show(findNextLetter(monday, at('2026-01-12T06:59:00Z'))), '2026-01-12T07:00:00.000Z')
    t.equal(show(findNextLetter(monday, at('2026-01-12T07:00:00Z'))), '2026-01-19T07:00:00.000Z')
    t.equal(show(findNextLetter(monday, at('2026-07-01T00:00:00Z'))), '2026-07-06T06:00:00.000Z')
  })

  t.test('has one time even if clocks skip it, or show it twice', async t => {
    const sunday = { weekday: 7, time: '02:30', zone }
    t.equal(show(findNextLetter(sunday, at('2026-03-28T12:00:00Z'))), '2026-03-29T01:30:00.000Z')
    const next = findNextLetter(sunday, at('2026-10-24T12:00:00Z'))
    t.ok([at('2026-10-25T00:30:00Z'), at('2026-10-25T01:30:00Z')].includes(next), show(next))
    t.equal(show(findNextLetter(sunday, next)), '2026-11-01T01:30:00.000Z')
    // Clocks went from 00:01 to 01:01: the time belongs to that day, not to the one before.
    const skipped = { weekday: 7, time: '00:30', zone: 'America/St_Johns' }
    t.equal(show(findNextLetter(skipped, at('2011-03-12T12:00:00Z'))), '2011-03-13T04:00:00.000Z')
    const midnight = { weekday: 1, time: '00:00', zone }
    t.equal(show(findNextLetter(midnight, at('2026-01-11T12:00:00Z'))), '2026-01-11T23:00:00.000Z')
  })

  t.test('is about the seven days before', async t => {
    t.equal(formatDate(getLetterWeek(monday, at('2026-01-12T07:00:00Z'))), '2026-01-11')
    // Late: of the service was down, the last letter that was due.
    t.equal(formatDate(getLetterWeek(monday, at('2026-01-18T12:00:00Z'))), '2026-01-11')
    t.equal(formatDate(getLetterWeek(monday, at('2026-02-05T12:00:00Z'))), '2026-02-01')
  })

  t.test('is never about days of the one before', async t => {
    const after = at('2026-01-12T07:00:00Z')
    const last = getLetterWeek(monday, after)
    const wednesday = { ...monday, weekday: 3, last }
    const next = findNextLetter(wednesday, after)
    t.equal(show(next), '2026-01-21T07:00:00.000Z')
    t.ok(getLetterWeek(wednesday, next) - 7 >= last)
    t.equal(show(findNextLetter({ ...monday, last }, after)), '2026-01-19T07:00:00.000Z')
  })
})
