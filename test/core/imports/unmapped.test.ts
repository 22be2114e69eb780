/** A table with unknown columns is offered for mapping, and not imported without one. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { sent, written } from '../../support/importing.js'

t.test('a table without a mapping is not imported', async t => {
  const { alice } = await coffer(t)
  const { id, look, state } = await sent(
    alice,
    'x.csv',
    'when,what\n2024-05-01 08:00,7\n2024-05-02 08:00,8\n'
  )
  t.equal(state, 'looked')
  const [table] = look.tables
  t.match(table, { mapping: { time: 0, values: [] } })
  const { error } = await alice.call('imports.run', { id })
  t.equal(error.id, 'invalid-operation')
  const mapping = { ...table.mapping, values: [{ column: 1, type: 'count/generic', stream: 'What' }] }
  const done = await written(alice, id, { mappings: { [table.header]: mapping } })
  t.match(done, { state: 'written', tally: { broughtIn: { 'count/generic': 2 } } })
})
