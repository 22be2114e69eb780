/** Sent notifications of alarms are kept in a register that anything with access to the engine can write to. */
import t from 'tap'
import { openSharedLedger } from '../../../server/nodes/cluster-alarm-mails.js'
import { MemoryCluster } from '../memory-engine.js'

const sound = { kind: 'disk', about: 'n1', text: 'Less than 10 % is free' }

t.test('an unreadable register counts as empty', async t => {
  const engine = new MemoryCluster().connect()
  const ledger = await openSharedLedger(engine)
  t.same(await ledger.read(), { revision: 0, state: { told: [], sent: [] } })
  const texts = [
    '',
    'null',
    '5',
    '[]',
    '{"told":5,"sent":"x"}',
    '{"told":{},"sent":null}',
    '{"told":[null,[],{}]}'
  ]
  for (const text of texts) {
    const { revision } = await ledger.read()
    const written = await engine.register.cas('alarms', revision, Buffer.from(text))
    t.same(await ledger.read(), { revision: written, state: { told: [], sent: [] } }, text)
  }
  const { revision } = await ledger.read()
  const mixed = { told: [null, sound, { ...sound, about: 7 }], sent: ['1', 2, null] }
  await engine.register.cas('alarms', revision, Buffer.from(JSON.stringify(mixed)))
  const read = await ledger.read()
  t.same(read.state, { told: [sound], sent: [2] })
  t.ok(await ledger.write(read.revision, read.state), 'and is written again')
  t.notOk(await ledger.write(read.revision, read.state), 'by one')
})
