/** Starts the core as a node of a cluster: a runtime in this thread that serves some shards, and dispatches other calls to other nodes. */
import { mkdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { Config } from '../../core/settings/config.js'
import { Layout } from '../../storage/files/layout.js'
import type { Readiness } from '../service-state.js'
import type { Host, HostOptions } from '../host-interface.js'
import { Runtime } from '../runtime.js'
import { closeAll, type Closers } from '../close-all.js'
import { createAccountLookups } from './account-lookups.js'
import { Announcements } from './announcements.js'
import { serveConnection } from './serve-connection.js'
import { answerControlRequest } from './control.js'
import { ClusterNotifier } from './cluster-notifier.js'
import { LocalCalls } from './local-calls.js'
import { createMembership } from './membership.js'
import { NodePeers } from './node-peers.js'
import { ClusterDispatcher } from './cluster-dispatcher.js'
import { ClusterMonitor } from './cluster-monitor.js'
import { OrphanCleanup } from './orphan-cleanup.js'
import { AccountRescue, RestoredAccounts } from './account-recovery.js'
import { timings } from './timings.js'
import { retryStart } from './retry-start.js'

/** Maximum number of bytes that may wait to be sent to another node. */
const maxWaitingBytes = 64 * 1024 * 1024

/** Starts a node, and waits while the engine does not respond. Rejects, with everything closed, for any other error. */
export async function startNode(config: Config, options: HostOptions): Promise<Host> {
  const { log, onWait = () => {}, signal } = options
  return await retryStart(async () => await startOnce(config, options), { log, onWait, signal })
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

/** Connects to the engine, and starts the runtime and everything else that makes this process a node. What it opens is added to `closers`. */
async function build(
  config: Config,
  { clock, listHealthAlarms, log, methodModules, shared }: HostOptions,
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
  /** Whether {@link runtime} is assigned. Until then, no shards are served here. */
  let hasStarted = false
  let dispatcher!: ClusterDispatcher
  let notifier!: ClusterNotifier
  let orphanCleanup: OrphanCleanup | undefined
  let platformLog!: Awaited<ReturnType<typeof PlatformLog.open>>
  const logReleaseError = (cause: unknown): void => log.error('accounts could not be released', { cause })
  const releaseAccounts = async (): Promise<void> => {
    const { accounts, imports } = runtime.services
    await imports.stopReleased().catch(logReleaseError)
    await accounts.handover.releaseUnless(account => accounts.owns(account)).catch(logReleaseError)
  }
  const { lease, members, shards, ownership } = await createMembership({
    config,
    engine,
    log,
    tally,
    isLogComplete,
    catchUp: () => platformLog.catchUp(),
    releaseAccounts,
    resumeWork(isAmong) {
      runtime.resumeWork(isAmong)
      void orphanCleanup?.cleanUp()
    },
    onOwnerChange: shard => notifier.onOwnerChange(shard),
    onDeclaredDead: () => connections.closeEnded(),
    toShardName: name => runtime.services.accounts.getShardName(name)
  })
  const layout = new Layout(config.dataDir)
  const lookups = createAccountLookups(() => runtime.services.platform, ownership, {
    isLogComplete,
    logSubject
  })
  const logs = new ShippedLogs({
    log: engine,
    objects,
    layout,
    snapshotBytes: config.cluster.snapshotBytes,
    snapshotRetryMs: timings.snapshotRetryMs,
    ...lookups,
    isCertain: () => ownership.isCertain,
    tally,
    timeoutMs: timings.confirmMs,
    onError: (accountId, cause) =>
      log.error('an account was taken over by another node', { accountId, cause })
  })
  const attachments = new SharedAttachments({
    layout,
    objects,
    node,
    cacheBytes: config.cluster.cacheBytes,
    assertWriter: account => logs.assertWriter(account),
    async makeFolder(account) {
      const { platform } = runtime.services
      if (!platform.findById(account)) await platformLog.catchUp()
      // In one step, so that a deletion that follows finds the folder.
      const { state = 'deleting' } = platform.findById(account) ?? {}
      if (state !== 'deleting') mkdirSync(layout.userDirectory(account), { recursive: true, mode: 0o700 })
    },
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
        timeoutMs: timings.timeoutMs,
        onError: cause => log.error('the log of the platform cannot be followed', { cause })
      })
      return async () => await platformLog.close()
    },
    shard: {
      index: 0,
      // The limits in the settings apply to each node.
      map: { size: 1, indexOf: username => (hasStarted && ownership.isHeld(username) ? 0 : 1) },
      peers: {
        forward: (...call) => dispatcher.forward(...call),
        note: note => announcements.announce({ note })
      },
      getUrl(username) {
        const owner = username === undefined ? node : ownership.findOwner(username)?.node
        return (owner !== undefined && members.find(owner)?.url) || ''
      }
    }
  })
  hasStarted = true
  closers.push(() => runtime.close())
  const { accounts, platform } = runtime.services
  const announcements = new Announcements(engine, node, runtime.services)
  closers.push(announcements.start())

  /** Number of changes to the platform file since the start. */
  let changeCount = 0
  closers.push(platform.onChange(() => void changeCount++))
  const calls = new LocalCalls({
    registry: runtime.registry,
    ownership,
    catchUp: () => platformLog.catchUp(),
    countChanges: () => changeCount
  })
  const monitor = new ClusterMonitor({
    config,
    engine,
    healthAlarms: listHealthAlarms,
    shared: checks,
    log,
    clock,
    intervalMs: compareSeconds * 1000,
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
  const accountRescue = new AccountRescue(rescue, accounts)
  const restoredAccounts = new RestoredAccounts(runtime.services, runtime.feed, () => platformLog.catchUp())
  const connections = new Connections({
    ...timings,
    engine,
    maxWaitingBytes,
    getOwnLife: () => ({ node, incarnation: lease.incarnation }),
    accept: connection => serveConnection({ runtime, calls, ownership, files: attachments }, connection),
    control: message =>
      answerControlRequest(message, {
        lease,
        monitor,
        restoredAccounts,
        accountRescue,
        shards
      })
  })
  closers.push(() => connections.close())
  const peers = new NodePeers(
    (remote, events) => connections.open(remote, events),
    {
      notify: (...args) => notifier.events.notify(...args),
      unsubscribed: id => notifier.events.unsubscribed(id),
      onNodeLost: life => notifier.events.onNodeLost(life)
    },
    config.limits.callsInFlight
  )
  dispatcher = new ClusterDispatcher({
    registry: runtime.registry,
    calls,
    peers,
    ownership,
    shards,
    files: attachments,
    forwardedDurations: tally.forwarded
  })
  notifier = new ClusterNotifier({ dispatcher, calls, feed: runtime.feed, accounts, ownership })

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
