/** The known name that is closest to an unknown one. */
import t from 'tap'
import { findNearest } from '../../../core/audit/filter.js'

const known = ['events.get', 'events.getOne', 'streams.get', 'events.all', 'all']

for (const [name, meant] of [
  ['events.gett', 'events.get'],
  ['Events.GetOne', 'events.getOne'],
  ['event.all', 'events.all'],
  ['stream.gets', 'streams.get'],
  ['al', undefined],
  ['', undefined],
  ['webhooks.test', undefined]
] as const)
  t.test(`"${name}" ${meant === undefined ? 'is like none' : `is meant to be ${meant}`}`, async t => {
    t.equal(findNearest(name, known), meant)
  })
