/** Operators of a cluster are notified by mail, by one node, of the alarms of all nodes: over an in-memory engine. */
import { test } from 'tap'
import { mailbox } from '../../support/mailbox.js'
import { begin, startNode } from '../anywhere/memory-nodes.js'
import { until } from '../engine-servers.js'
import { MemoryCluster } from '../memory-engine.js'

/** Long enough for nodes on a busy machine. */
const times = { leaseSeconds: 8, takeoverSeconds: 16 }

test('alarms of a cluster', { timeout: 900_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const box = await mailbox(t)
  const mailTo = 'operator@example.com'
  const more = {
    ...box.settings,
    alarms: { mailTo, everySeconds: 1, freePercent: 0, mailsPerHour: 100 }
  }
  const nodes = await Promise.all(
    ['n1', 'n2', 'n3'].map(async name => await startNode(t, cluster, name, undefined, times, more))
  )
  const [, , n3] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
  const mailed = (section: RegExp): number => box.mails.filter(({ text }) => section.test(text)).length
  const begun = /New alerts[^]*- n3 (?:stopped responding|is not responding)[^]*Resolved:/
  const over = /Resolved:[^]*- n3 (?:stopped responding|is not responding)/

  // It may also be declared dead, which is the same alarm.
  n3.engine.isCutOff = true
  await until('the operator to be told', () => mailed(begun) > 0, 300_000)
  t.equal(mailed(over), 0)
  n3.engine.isCutOff = false
  await until('the operator to be told that it is over', () => mailed(over) > 0, 300_000)
  t.equal(mailed(begun), 1, 'by one of them, once')
  t.equal(mailed(over), 1)

  for (const { engine } of nodes) engine.isCutOff = true
  const gone = /New alerts[^]*The engine of the cluster is not responding[^]*Resolved:/
  await until('the operator to be told of the engine', () => mailed(gone) > 0, 300_000)
  for (const { engine } of nodes) engine.isCutOff = false
  await until('that it is over', () => mailed(/Resolved:[^]*The engine of the cluster/) > 0, 300_000)
  t.equal(mailed(gone), 1)
})
