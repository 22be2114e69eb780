/** What imports remember for the next one stays small, however often they run. (docs/api/imports.md#tables) */
import t from 'tap'
import { openCoffer, type Answer } from '../../support/coffer.js'
import { rested, sent } from '../../support/importing.js'

t.setTimeout(900_000)

/** Characters remembered of one kind, for the owner and for all apps. */
const most = 4 * 1024 * 1024

const column = { column: 1, type: 'mass/kg', stream: 'x'.repeat(100), field: 'y'.repeat(100) }

/** Returns mappings for tables with different headers. */
function mappings(from: number, count: number): Record<string, object> {
  const mapping = { time: 0, values: Array.from({ length: 100 }, () => column) }
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`h${from + n}|`.repeat(500), mapping]))
}

t.test('remembered mappings stay within a limit', async t => {
  const { alice, server } = await openCoffer(t)
  const { accounts } = server.services
  const remembered = (): readonly { name: string; value: string }[] =>
    accounts.openStore(accounts.find('alice')!).imports.listMemory('mapping:')
  const { id } = await sent(alice, 'a.csv', 'time,weight (kg)\n2024-01-01,70\n')
  for (let from = 0; from < 300; from += 50) {
    await alice.do('imports.look', { id, mappings: mappings(from, 50) })
    await rested(alice, id)
    t.ok(
      remembered().some(({ name }) => name.startsWith(`mapping:h${from + 49}|`)),
      'the last one is known'
    )
    const size = remembered().reduce((sum, { name, value }) => sum + name.length + value.length, 0)
    t.ok(size <= most, `${size} characters`)
  }
  const { error }: Answer = await alice.call('imports.look', { id, mappings: mappings(0, 51) })
  t.equal(error.id, 'invalid-parameters-format', 'a call has room for so many')
})
