/** Starts the core as a node of a cluster: a runtime in this thread that serves some shards, and dispatches other calls to other nodes. */
import { mkdir } from 'node:fs/promises'
import type { Config } from '../../core/settings/config.js'
import { Layout } from '../../storage/files/layout.js'
import type { Readiness } from '../gauges.js'
import type { Host, HostOptions } from '../hosting.js'
import { Runtime } from '../runtime.js'
import { closeAll, type Closers } from '../close-all.js'
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
const maxWaitingBytes = 64 * 1024 * 1024

/** Starts a node, and waits while the engine does not respond. Rejects, with everything closed, for any other error. */
export async function startNode(config: Config, options: HostOptions): Promise<Host> {
  const { log, onWait = () => {}, signal } = options
  return await onceThere(async () => await startOnce(config, options), { log, onWait, signal })
}

async function startOnce(config: Config, options: HostOptions): Promise<Host> {
  const closers: Closers = []
  try {
    return await build(config, options, closers)
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function build(
  config: Config,
  { clock, concerns, log, methodModules, shared }: HostOptions,
  closers: Closers
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
  const isLogComplete = async (shard: number): Promise<boolean> =>
    (await checks.isLogComplete?.(shard)) ?? true
  closers.push(() => engine.close())

  const tally = new Tally()
  let runtime!: Runtime
  let dispatcher!: Nodes
  let notifier!: Followers
  let orphanCleanup: OrphanCleanup | undefined
  let platformLog!: Awaited<ReturnType<typeof PlatformLog.open>>
  const logReleaseError = (cause: unknown): void => log.error('accounts could not be released', { cause })
  const releaseAccounts = async (): Promise<void> => {
    const { accounts, imports } = runtime.services
    await imports.leave().catch(logReleaseError)
    await accounts.handover.releaseUnless(account => accounts.owns(account)).catch(logReleaseError)
  }
  const { lease, members, shards, ownership } = await membershipOf({
    config,
    engine,
    log,
    tally,
    isSound: isLogComplete,
    caughtUp: () => platformLog.catchUp(),
    letGo: releaseAccounts,
    takeUp(isAmong) {
      runtime.takeUp(isAmong)
      void orphanCleanup?.cleanUp()
    },
    changed: shard => notifier.changed(shard),
    dropped: () => connections.closeEnded()
  })
  const layout = new Layout(config.dataDir)
  const lookups = accountQuestions(() => runtime.services.platform, ownership, {
    isSound: isLogComplete,
    logSubject
  })
  const logs = new ShippedLogs({
    log: engine,
    objects,
    layout,
    snapshotBytes: config.cluster.snapshotBytes,
    snapshotRetryMs: times.snapshotRetryMs,
    ...lookups,
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
      // The limits in the settings apply to each node.
      map: { size: 1, indexOf: username => (ownership.isHeld(username) ? 0 : 1) },
      peers: {
        forward: (...call) => dispatcher.forward(...call),
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

  /** Number of changes to the platform file since the start. */
  let changeCount = 0
  closers.push(platform.onChange(() => void changeCount++))
  const calls = new LocalCalls({
    registry: runtime.registry,
    ownership,
    caughtUp: () => platformLog.catchUp(),
    known: () => changeCount
  })
  const monitor = new ClusterMonitor({
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
  const rescue = new Rescue({ ...lookups, log: engine, objects, layout, isServed: id => logs.isServed(id) })
  closers.push(() => rescue.close())
  const accountRescue = new Rescuing(rescue, accounts)
  const restoredAccounts = new Reopening(runtime.services, runtime.feed, () => platformLog.catchUp())
  const connections = new Connections({
    ...times,
    engine,
    maxWaitingBytes,
    getOwnLife: () => ({ node, incarnation: lease.incarnation }),
    accept: connection => answering({ runtime, calls, ownership, files: attachments }, connection),
    control: message =>
      answerControl(message, {
        lease,
        oversight: monitor,
        reopening: restoredAccounts,
        rescuing: accountRescue,
        shards
      })
  })
  closers.push(() => connections.close())
  const peers = new NodePeers(
    (remote, events) => connections.open(remote, events),
    {
      notify: (...args) => notifier.events.notify(...args),
      unsubscribed: id => notifier.events.unsubscribed(id),
      lost: life => notifier.events.lost(life)
    },
    config.limits.callsInFlight
  )
  dispatcher = new Nodes({
    registry: runtime.registry,
    calls,
    peers,
    ownership,
    shards,
    files: attachments,
    forwarded: tally.forwarded
  })
  notifier = new Followers({ nodes: dispatcher, calls, feed: runtime.feed, accounts, ownership })

  await lease.start()
  closers.push(() => lease.end())
  shards.start()
  closers.push(() => shards.stop())
  orphanCleanup = new OrphanCleanup({
    accounts,
    platform,
    ownership,
    files: attachments,
    log,
    catchUp: () => platformLog.catchUp()
  })
  closers.push(() => orphanCleanup?.close())
  await monitor.start()
  closers.push(() => monitor.stop())
  return {
    dispatcher,
    notifier,
    platform,
    runtime,
    alarms: () => monitor.alarms(),
    addMetrics: registry => monitor.addMetrics(registry),
    gauges: () => runtime.gauges(),
    async readiness(): Promise<Readiness> {
      const isHealthy = lease.isValid() && platformLog.refusal === undefined
      return { ...(await runtime.readiness()), cluster: isHealthy && ownership.isFullyAssigned }
    },
    settle: () => runtime.settle(),
    async drain() {
      notifier.close()
      await runtime.drain()
      lease.leave()
      await shards.drain()
    },
    close: () => closeAll(closers)
  }
}
