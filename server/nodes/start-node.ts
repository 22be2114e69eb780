/** Starts the core as a node of a cluster: the runtime in this thread, which serves some shards and asks others for the rest. */
import { mkdir } from 'node:fs/promises'
import type { Config } from '../../core/settings/config.js'
import { Layout } from '../../storage/files/layout.js'
import type { Readiness } from '../gauges.js'
import type { Host, HostOptions } from '../hosting.js'
import { Runtime } from '../runtime.js'
import { accountQuestions } from './account-questions.js'
import { Announcements } from './announcements.js'
import { answering } from './answering.js'
import { answerControl } from './control.js'
import { Followers } from './followers.js'
import { LocalCalls } from './local-calls.js'
import { membershipOf } from './membership.js'
import { NodePeers } from './node-peers.js'
import { Nodes } from './nodes.js'
import { ClusterMonitor } from './cluster-monitor.js'
import { OrphanCleanup } from './orphan-cleanup.js'
import { Reopening } from './reopening.js'
import { Rescuing } from './rescuing.js'
import { times } from './times.js'
import { onceThere } from './waiting.js'

/** Bytes that may wait to be sent to another node. */
const maxWaiting = 64 * 1024 * 1024

/** Waits for an engine that does not answer. Rejects, with everything closed again, if something else cannot be used. */
export async function startNode(config: Config, options: HostOptions): Promise<Host> {
  const { log, onWait = () => {}, signal } = options
  return await onceThere(async () => await startOnce(config, options), { log, onWait, signal })
}

async function startOnce(config: Config, options: HostOptions): Promise<Host> {
  const closers: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    while (closers.length > 0) await closers.pop()!()
  }
  try {
    return await build(config, options, closers, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  config: Config,
  { clock, concerns, log, methodModules, shared }: HostOptions,
  closers: (() => Promise<void> | void)[],
  close: () => Promise<void>
): Promise<Host> {
  const { connect } = await import('../../cluster/connect.js')
  const { logSubject } = await import('../../cluster/nodes/shard-placement.js')
  const { Connections } = await import('../../cluster/nodes/connections.js')
  const { ShippedLogs } = await import('../../cluster/shipped-log.js')
  const { PlatformLog } = await import('../../cluster/platform/log.js')
  const { SharedAttachments } = await import('../../cluster/objects/shared-attachments.js')
  const { Rescue } = await import('../../cluster/rescue.js')
  const { Tally } = await import('../../cluster/tally.js')
  const { compareSeconds, node } = config.cluster
  const { engine, objects, ...checks } = shared ?? (await connect(config.cluster))
  const isSound = async (shard: number): Promise<boolean> => (await checks.isLogComplete?.(shard)) ?? true
  closers.push(() => engine.close())

  const tally = new Tally()
  let runtime!: Runtime
  let nodes!: Nodes
  let followers!: Followers
  let remains: OrphanCleanup | undefined
  let platformLog!: Awaited<ReturnType<typeof PlatformLog.open>>
  const notGivenUp = (cause: unknown): void => log.error('accounts could not be released', { cause })
  const letGo = async (): Promise<void> => {
    const { accounts, imports } = runtime.services
    await imports.leave().catch(notGivenUp)
    await accounts.handover.releaseUnless(account => accounts.owns(account)).catch(notGivenUp)
  }
  const { lease, members, shards, ownership } = await membershipOf({
    config,
    engine,
    log,
    tally,
    isSound,
    caughtUp: () => platformLog.catchUp(),
    letGo,
    takeUp(isAmong) {
      runtime.takeUp(isAmong)
      void remains?.cleanUp()
    },
    changed: shard => followers.changed(shard),
    dropped: () => connections.closeEnded()
  })
  const layout = new Layout(config.dataDir)
  const questions = accountQuestions(() => runtime.services.platform, ownership, { isSound, logSubject })
  const logs = new ShippedLogs({
    log: engine,
    objects,
    layout,
    snapshotBytes: config.cluster.snapshotBytes,
    snapshotRetryMs: times.snapshotRetryMs,
    ...questions,
    isCertain: () => ownership.isCertain,
    tally,
    timeoutMs: times.confirmMs,
    onError: (accountId, cause) =>
      log.error('an account was taken over by another node', { accountId, cause })
  })
  const attachments = new SharedAttachments({
    layout,
    objects,
    node,
    cacheBytes: config.cluster.cacheBytes,
    assertWriter: account => logs.assertWriter(account),
    onError: cause => log.error('unused attachments could not be removed', { cause })
  })
  runtime = await Runtime.start(config, {
    clock,
    log,
    methodModules,
    isGuest: false,
    durability: logs,
    attachments,
    async follow(platform) {
      await mkdir(layout.draftsDirectory, { recursive: true, mode: 0o700 })
      platformLog = await PlatformLog.open(platform, {
        engine,
        objects,
        draftsDirectory: layout.draftsDirectory,
        timeoutMs: times.timeoutMs,
        onError: cause => log.error('the log of the platform cannot be followed', { cause })
      })
      return async () => await platformLog.close()
    },
    shard: {
      index: 0,
      // Each node has the limits of its settings for itself.
      map: { size: 1, indexOf: username => (ownership.isHeld(username) ? 0 : 1) },
      peers: {
        forward: (...call) => nodes.forward(...call),
        note: note => announcements.tell({ note })
      },
      urlOf(username) {
        const owner = username === undefined ? node : ownership.findOwner(username)?.node
        return (owner !== undefined && members.find(owner)?.url) || ''
      }
    }
  })
  closers.push(() => runtime.close())
  const { accounts, platform } = runtime.services
  const announcements = new Announcements(engine, node, runtime.services)
  closers.push(announcements.begin())

  /** Of the platform file, since the start. */
  let changes = 0
  closers.push(platform.onChange(() => void changes++))
  const calls = new LocalCalls({
    registry: runtime.registry,
    ownership,
    caughtUp: () => platformLog.catchUp(),
    known: () => changes
  })
  const oversight = new ClusterMonitor({
    config,
    engine,
    healthAlarms: concerns,
    shared: checks,
    log,
    clock,
    everyMs: compareSeconds * 1000,
    tally,
    lease,
    members,
    shards,
    logs,
    isServedHere: account => {
      const found = platform.findById(account)
      return found !== undefined && ownership.isOwned(found.username)
    },
    platformLog
  })
  const rescue = new Rescue({ ...questions, log: engine, objects, layout, isServed: id => logs.isServed(id) })
  closers.push(() => rescue.close())
  const rescuing = new Rescuing(rescue, accounts)
  const reopening = new Reopening(runtime.services, runtime.feed, () => platformLog.catchUp())
  const connections = new Connections({
    ...times,
    engine,
    maxWaitingBytes: maxWaiting,
    getOwnLife: () => ({ node, incarnation: lease.incarnation }),
    accept: connection => answering({ runtime, calls, ownership, files: attachments }, connection),
    control: message => answerControl(message, { lease, oversight, reopening, rescuing, shards })
  })
  closers.push(() => connections.close())
  const peers = new NodePeers(
    (remote, events) => connections.open(remote, events),
    {
      notify: (...args) => followers.events.notify(...args),
      unsubscribed: id => followers.events.unsubscribed(id),
      lost: life => followers.events.lost(life)
    },
    config.limits.callsInFlight
  )
  nodes = new Nodes({
    registry: runtime.registry,
    calls,
    peers,
    ownership,
    shards,
    files: attachments,
    forwarded: tally.forwarded
  })
  followers = new Followers({ nodes, calls, feed: runtime.feed, accounts, ownership })

  await lease.start()
  closers.push(() => lease.end())
  shards.start()
  closers.push(() => shards.stop())
  remains = new OrphanCleanup({
    accounts,
    platform,
    ownership,
    files: attachments,
    log,
    catchUp: () => platformLog.catchUp()
  })
  closers.push(() => remains?.close())
  await oversight.start()
  closers.push(() => oversight.stop())
  return {
    dispatcher: nodes,
    notifier: followers,
    platform,
    runtime,
    alarms: () => oversight.alarms(),
    addMetrics: (library, registry) => oversight.addMetrics(library, registry),
    gauges: () => runtime.gauges(),
    async readiness(): Promise<Readiness> {
      const isWell = lease.isValid() && platformLog.refusal === undefined
      return { ...(await runtime.readiness()), cluster: isWell && ownership.isFullyAssigned }
    },
    settle: () => runtime.settle(),
    async drain() {
      followers.close()
      await runtime.drain()
      lease.leave()
      await shards.drain()
    },
    close
  }
}
