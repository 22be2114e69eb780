/** What a node remembers of an account beside its file is forgotten when another one may serve it. */
import t from 'tap'
import type { Outcome } from '../../core/call/outcome.js'
import type { Answer } from '../support/coffer.js'
import { Random } from '../support/random.js'
import { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'
import { Nodes } from './nodes.js'

t.setTimeout(120_000)

t.test('an answer that is known is not said to be the same after another node has written', async t => {
  const shared = {
    log: new MemoryLog(),
    objects: new MemoryObjects(),
    snapshotBytes: 1e9,
    subjectOf: (id: string) => id
  }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(2, 1)
  const { account, token } = nodes.person(0)
  const owner = async (node: number, method: string, params: object): Promise<Answer> =>
    await nodes.at(node).call(account.username, method, params, token)
  const permissions = [{ streamId: 'diary', level: 'read' }]
  const { access } = await owner(0, 'accesses.create', { name: 'reader', type: 'shared', permissions })
  const reader = access.token as string
  const ask = async (known: string): Promise<Outcome> =>
    await nodes.at(0).server.dispatcher.call({
      user: account.username,
      method: 'events.get',
      params: { limit: 5 },
      credentials: { ip: '127.0.0.1', via: 'http', authorization: reader, ifNoneMatch: known }
    })
  const first = await ask('')
  const validator = `"${first.ok ? first.validator : ''}"`
  t.match(await ask(validator), { ok: true, isUnchanged: true })
  await nodes.at(0).server.services.accounts.handover.letGo(account)
  await owner(1, 'events.create', { streamIds: ['diary'], type: 'note/txt', content: 'elsewhere' })
  await nodes.at(1).server.services.accounts.handover.letGo(account)
  const again = await ask(validator)
  t.match(again, { ok: true, members: /elsewhere/ })
  t.notOk(again.ok && again.isUnchanged)
})
