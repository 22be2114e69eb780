/** Responses to a write when another process takes the account over, and when records are missing from a log. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { claimLog } from '../../cluster/claim.js'
import { EngineUnavailable } from '../../cluster/engine.js'
import { scanLog } from '../../cluster/scan-log.js'
import { decode, encode } from '../../cluster/records.js'
import { toApiError } from '../../core/call/outcome.js'
import { Layout } from '../../storage/files/layout.js'
import { Random } from '../support/random.js'
import { until } from '../support/socket.js'
import { MemoryLog } from './memory-log.js'
import { MemoryObjects } from './memory-objects.js'
import { Nodes } from './nodes.js'

const sound = async (): Promise<boolean> => true
const unsound = async (): Promise<boolean> => false

/** What happens to the next record while another process claims the account. */
type Moment = 'before' | 'after' | 'replaced'

/** Size that only records with the long contents exceed. */
const longBytes = 50_000
const noise = randomBytes(100_000).toString('base64')

class OvertakenLog extends MemoryLog {
  next: Moment | undefined

  override async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    // The server's own commits are short.
    const moment = bytes.length > longBytes ? this.next : undefined
    if (moment !== undefined) this.next = undefined
    if (moment === 'after') await super.append(subject, expected, bytes)
    if (moment !== undefined) {
      const { sequence } = await claimLog({ log: this, subject, found: undefined, isLogComplete: sound })
      // Another claim, after which a snapshot replaces the log.
      if (moment === 'replaced') {
        await claimLog({ log: this, subject, found: undefined, isLogComplete: sound })
        await this.trim(subject, sequence + 1)
      }
      throw new EngineUnavailable()
    }
    return await super.append(subject, expected, bytes)
  }
}

async function world(t: Test): Promise<{ log: OvertakenLog; nodes: Nodes }> {
  const log = new OvertakenLog()
  const shared = { log, objects: new MemoryObjects(), snapshotBytes: 1e9, getSubject: (id: string) => id }
  const nodes = new Nodes(t, shared, new Random(1))
  await nodes.start(1, 1)
  return { log, nodes }
}

t.test('a write while another process takes the account over', async t => {
  const { log, nodes } = await world(t)
  const { account, token } = nodes.person(0)
  const service = nodes.at(0)
  const write = async (content: string): Promise<{ status: number; headers: Headers }> =>
    await service.http(
      'POST',
      `/${account.username}/events`,
      { streamIds: ['diary'], type: 'note/txt', content },
      { authorization: token }
    )
  const contents = async (): Promise<string[]> => {
    for (;;) {
      const params = { streams: ['diary'], limit: 100 }
      const { events } = await service.call(account.username, 'events.get', params, token)
      // The account is released and taken over again.
      if (events)
        return (events as { content: string }[])
          .map(({ content }) => content.slice(0, -noise.length))
          .toSorted()
    }
  }
  const [told, refused]: [string[], string[]] = [[], []]
  /** Writes until the response is the wanted one: a lost account is not available immediately. */
  const attempt = async (
    moment: Moment | undefined,
    isWanted: (status: number, after: string | null) => boolean
  ): Promise<void> =>
    await until(async () => {
      log.next = moment
      const content = `number ${told.length + refused.length}, ${moment}`
      const { headers, status } = await write(content + noise)
      const after = headers.get('retry-after')
      if (status === 201) told.push(content)
      else if (after !== null) refused.push(content)
      return isWanted(status, after)
    }, `an answer to a record that is overtaken: ${moment}`)

  await attempt(undefined, status => status === 201)
  await attempt('before', (status, after) => status === 503 && after === '1')
  t.same(await contents(), told.toSorted(), 'what may be sent again is not there')
  await attempt('after', status => status === 201)
  t.same(await contents(), told.toSorted(), 'what was there before is acknowledged')
  t.ok(refused.length > 0)
  await attempt('replaced', (status, after) => status === 503 && after === null)
})

t.test('a log with missing records', async t => {
  const subject = 'one'
  const found = { lsn: 7, epoch: 1 }

  t.test('is refused if it is empty', async t => {
    const log = new MemoryLog()
    await t.rejects(claimLog({ log, subject, found, isLogComplete: sound }), { name: 'StoreUnavailable' })
    t.same(log.entries(subject), [], 'it is not begun anew')
    await t.rejects(claimLog({ log, subject, found: { lsn: 1, epoch: 1 }, isLogComplete: unsound }))
    t.same((await claimLog({ log, subject, found: { lsn: 1, epoch: 1 }, isLogComplete: sound })).sequence, 0)
  })

  t.test('is refused if it ends before the known position', async t => {
    const { log, nodes } = await world(t)
    const { account } = nodes.person(0)
    const { length } = log.entries(account.id)
    const ahead = { log, subject: account.id, found: { lsn: 1000, epoch: 1 } }
    await t.rejects(claimLog({ ...ahead, isLogComplete: unsound }), { name: 'StoreUnavailable' })
    t.equal(log.entries(account.id).length, length, 'nothing is appended')
    await claimLog({ ...ahead, isLogComplete: sound })
    t.equal(log.entries(account.id).length, length + 1, 'it may as well be the file that has more')
  })

  t.test('is refused if a record is unreadable', async t => {
    const { log, nodes } = await world(t)
    const { account, token } = nodes.person(0)
    const { logs } = nodes.node(0)
    await logs.release(account.id)
    const [last] = log.entries(account.id).slice(-1)
    const damaged = Buffer.from(last!.bytes)
    damaged[20]! ^= 1
    await log.append(account.id, last!.sequence, damaged)
    const error = await logs.waitUntilReady(account.id)!.then(
      () => undefined,
      (thrown: unknown) => toApiError(thrown)
    )
    t.match(error, { id: 'api-unavailable', details: { retryAfter: 1 } })
    t.same(Array.from(logs.unplaced.keys()), [account.id], 'an operator is told')
    const answer = await nodes.at(0).call(account.username, 'events.get', {}, token)
    t.equal(answer.error.id, 'api-unavailable')
    t.same(log.entries(account.id).at(-1)!.bytes, damaged, 'nothing is appended behind it')
  })
  t.test('is refused if a newer version has written to it', async t => {
    const { log, nodes } = await world(t)
    const { account } = nodes.person(0)
    const { logs } = nodes.node(0)
    await nodes.at(0).server.services.accounts.handover.release(account)
    const file = new Layout(nodes.at(0).directory).userFile(account.id)
    const before = readFileSync(file)
    const last = log.entries(account.id).at(-1)!
    const newer = Buffer.from(last.bytes)
    newer.writeUInt8(2, 2)
    const previous = await log.append(account.id, last.sequence, newer)
    const { base, epoch, position } = decode(last.bytes)
    const behind = { lsn: position.lsn + 1, epoch }
    const takeover = {
      kind: 'takeover',
      epoch: epoch + 1,
      writer: 1,
      commits: [],
      isContinued: false
    } as const
    await log.append(account.id, previous, await encode({ ...takeover, base, previous, position: behind }))
    for (const attempt of ['first', 'second']) {
      await t.rejects(logs.waitUntilReady(account.id)!, { cause: { name: 'RecordTooNew' } }, attempt)
      t.match(logs.unplaced.get(account.id)?.message, /format 2.*Upgrade the software/, attempt)
      t.ok(existsSync(file) && readFileSync(file).equals(before), `${attempt}: the file is in its place`)
      t.notOk(existsSync(new Layout(nodes.at(0).directory).asideDirectory), attempt)
    }
    await t.rejects(scanLog(log, account.id), { name: 'RecordTooNew' }, 'nobody goes on without it')
  })
})
