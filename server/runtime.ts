/**
 * Everything that runs in the thread where users' files are open: the core with its methods, subscribers to changes,
 * and scheduled jobs. Either one runtime owns all users, or several share them by name, each in its own thread.
 */
import { LocalChangeBus } from '../core/changes.js'
import { createCallLimit } from '../core/security/call-limit.js'
import type { Config } from '../core/settings/config.js'
import { loadEventTypes } from '../core/event-types/directory.js'
import { startMaintenance } from '../core/platform/maintenance-jobs.js'
import { LiveNotifier } from '../core/notifications/live-notifier.js'
import { ImportJobs } from '../core/imports/jobs.js'
import { findWriteMethods } from '../core/imports/import-caller.js'
import { canRead, type Gauges, type Readiness } from './service-state.js'
import { GrowthLog } from './growth-log.js'
import { createUploadBuffers } from '../core/security/upload-buffer.js'
import type { Log } from '../core/log.js'
import { LongResponses } from '../core/security/long-responses.js'
import { Mailer } from '../core/outgoing/mail/mailer.js'
import { createMailTransport } from '../core/outgoing/mail/mail-transport.js'
import { Messaging } from '../core/outgoing/messaging.js'
import { methods } from '../core/methods/index.js'
import { supportOlderIds } from '../core/account/older-ids.js'
import { createPasswords } from '../core/security/passwords.js'
import { Previews } from '../core/previews/previews.js'
import { StoredCopyReads } from '../core/mirrors/copy-reads.js'
import { Deliveries } from '../core/cmc/deliveries.js'
import { createCmcHooks } from '../core/cmc/hooks.js'
import { PeerReads } from '../core/cmc/peers/peer-reads.js'
import { createEventSecrets } from '../core/cmc/secrets.js'
import { addHooks } from '../core/dispatch/hooked-methods.js'
import { Registry } from '../core/dispatch/registry.js'
import { HolderUpdater } from '../core/series/holder-updater.js'
import { TextIndexer } from '../core/events/text-indexer.js'
import { forShard, includesUser, wholeShard, type Shard } from '../core/call/shard.js'
import { SharedThrottle } from '../core/security/shared-throttle.js'
import { AccountTimers } from '../core/timers/account-timers.js'
import { createRestKey } from '../core/timers/resting-accounts.js'
import { createThrottle } from '../core/security/throttle.js'
import type { Clock } from '../core/time.js'
import { WebhookDeliveries } from '../core/notifications/webhook-deliveries.js'
import { enqueueMessages } from '../core/notifications/webhook-queue.js'
import { WebhookSender } from '../core/outgoing/webhook-sender.js'
import { Accounts } from '../storage/accounts.js'
import type { AttachmentStore } from '../storage/files/attachments.js'
import { DiskReserve } from '../storage/files/disk-reserve.js'
import { ImportFiles } from '../storage/imports/import-files.js'
import { Layout } from '../storage/files/layout.js'
import type { Account } from '../storage/platform/account.js'
import { PlatformStore } from '../storage/platform/platform-store.js'
import { PreviewCache } from '../storage/files/previews.js'
import { canWrite } from '../storage/files/probe.js'
import { Spools } from '../storage/files/spool.js'
import type { DurabilityProvider } from '../storage/wal/durability.js'
import { ExportDrafts } from '../storage/transfer/export-drafts.js'
import { accountsOptions, openAttachments } from './open-storage.js'
import { loadAuthorizationStep, loadMethods } from './load-modules.js'
import { closeAll, type Closers } from './close-all.js'
import { ReaderThreads } from './imports/reader-threads.js'
import { PictureProcesses } from './pictures/renderer.js'
import { DiskUsageMeter } from './disk-usage.js'
import { createEndpoints } from '../transports/http/routes.js'
import { describeDialects } from '../transports/receive/dialects.js'
import { UdpSyslog } from './syslog.js'
import { addTimedTasks } from './timed-tasks.js'
import { createSecrets } from '../core/auth/secrets.js'
import type { Services } from '../core/call/services.js'

interface RuntimeOptions {
  readonly clock: Clock
  readonly log: Log
  /** The users whose files are opened here. */
  readonly shard: Shard
  /** True if another thread or process maintains the data directory. */
  readonly isGuest: boolean
  /** True to answer calls only, without daily jobs and without notifying webhooks of the start. */
  readonly isQuiet?: boolean
  /** Modules with additional methods. */
  readonly methodModules: readonly string[]
  /** How commits are made durable; by default, by syncing the log. */
  readonly durability?: DurabilityProvider
  /** Makes the platform file follow a cluster's log, before anything reads it. Resolves with a function that stops it. */
  readonly follow?: (platform: PlatformStore) => Promise<() => Promise<void>>
  /** Where attachments are stored; by default, on disk. */
  readonly attachments?: AttachmentStore
}

export class Runtime {
  private constructor(
    readonly services: Services,
    readonly registry: Registry,
    readonly feed: LiveNotifier,
    private readonly holderUpdater: HolderUpdater,
    private readonly textIndexer: TextIndexer,
    /** Resumes background work for users who are served here from now on, as after a start. */
    readonly resumeWork: (isAmong: (username: string) => boolean) => void,
    private readonly closers: Closers
  ) {}

  /** Opens the data directory and starts all services. Rejects, with everything closed, if the directory cannot be used. */
  static async start(config: Config, options: RuntimeOptions): Promise<Runtime> {
    const closers: Closers = []
    try {
      return new Runtime(...(await build(config, options, closers)), closers)
    } catch (error) {
      await closeAll(closers)
      throw error
    }
  }

  /** Returns the current load. */
  gauges(): Gauges {
    const { accounts, imports, mailer, passwords, previews, syslog, webhookSender } = this.services
    const { running, waiting } = webhookSender.load
    return {
      openUserFiles: accounts.openCount,
      passwordsWaiting: passwords.waiting,
      previewsWaiting: previews.waiting,
      mailsWaiting: mailer.waiting,
      webhooksWaiting: waiting,
      webhooksRunning: running,
      importsWaiting: imports.load.waiting,
      importsRunning: imports.load.running,
      syslogLost: syslog?.lost ?? 0
    }
  }

  /** Runs the readiness checks. */
  async readiness(): Promise<Readiness> {
    return {
      platform: canRead(this.services.platform),
      disk: await canWrite(new Layout(this.services.config.dataDir))
    }
  }

  /** Completes background work that is otherwise up to a second behind, such as updates of holder events. */
  async settle(): Promise<void> {
    await this.holderUpdater.catchUp(true)
    await this.textIndexer.catchUp(true)
    this.services.timers.catchUp()
  }

  /** Stops background work and notifications. Calls are still answered. */
  async drain(): Promise<void> {
    await this.textIndexer.close()
    await this.holderUpdater.close()
    this.feed.close()
  }

  /** Closes everything. No call may be in progress. */
  async close(): Promise<void> {
    await closeAll(this.closers)
  }
}

type Parts = [Services, Registry, LiveNotifier, HolderUpdater, TextIndexer, Runtime['resumeWork']]

/** Creates the services of a runtime and the registry of its methods. What it opens is added to `closers`. */
async function build(
  config: Config,
  {
    attachments: givenAttachments,
    clock,
    durability,
    follow,
    isGuest,
    isQuiet,
    log,
    methodModules,
    shard
  }: RuntimeOptions,
  closers: Closers
): Promise<Parts> {
  const layout = new Layout(config.dataDir)
  const platform = new PlatformStore(layout, new DiskReserve(layout))
  closers.push(() => platform.close())
  if (follow) closers.push(await follow(platform))
  else platform.assertNotFollowing()
  await createSecrets({ platform })
  const attachments = givenAttachments ?? (await openAttachments(config, log))
  const accounts = new Accounts(layout, platform, {
    ...accountsOptions(config, log, { durability, attachments }),
    maxOpen: Math.ceil(config.storage.maxOpenUsers / shard.map.size),
    // This is checked several times per call, so it is skipped if there is only one shard.
    ...(shard !== wholeShard && {
      owns: ({ formerUsernames, username }: Pick<Account, 'username' | 'formerUsernames'>) =>
        includesUser(
          shard,
          formerUsernames ? (formerUsernames[0] ?? username) : platform.usernames.getShardName(username)
        )
    }),
    isSecondary: isGuest
  })
  closers.push(() => accounts.close())
  const authorizationStep = await loadAuthorizationStep(config.auth.authorizationStep)
  const webhookSender = new WebhookSender(forShard(config, shard), clock)
  const mailer = new Mailer({ config, clock, log, transport: createMailTransport(config) })
  closers.push(() => mailer.close(config.shutdownSeconds / 4))
  const pictures = new PictureProcesses(config.previews)
  closers.push(() => pictures.close())
  const ownThrottle = createThrottle(config, clock)
  const { peers } = shard
  const throttle = peers ? new SharedThrottle(ownThrottle, note => peers.note(note)) : ownThrottle
  const { host, port } = config.audit.syslog
  const syslog = host === '' ? undefined : new UdpSyslog(host, port, log)
  closers.push(() => syslog?.close())
  const messaging = new Messaging(config)
  closers.push(() => messaging.close())
  const definitions = [...methods, ...(await loadMethods(methodModules))]
  const imports = new ImportJobs(new ImportFiles(layout), new ReaderThreads())
  const bus = new LocalChangeBus(cause => log.error('a subscriber to changes failed', { cause }))
  const rest = { shard: shard.index, key: createRestKey(config, shard) }
  const timers = new AccountTimers({ accounts, bus, clock, log, platform }, rest)
  const copyReads = new StoredCopyReads(() => services)
  const services: Services = {
    config,
    clock,
    log,
    platform,
    timers,
    // The file may be replaced while it is served.
    authRequests: { find: (key, now) => platform.authRequests.find(key, now) },
    catchUp: () => platform.catchUp(),
    accounts,
    attachments,
    exports: new ExportDrafts(layout),
    imports,
    spools: new Spools(layout, Math.ceil(config.limits.spoolBytes / shard.map.size)),
    previews: new Previews({ accounts, attachments, clock, config, log }, new PreviewCache(layout), pictures),
    dialects: describeDialects(),
    // Only the thread that maintains the directory warns of ignored types.
    eventTypes: await loadEventTypes(config, isGuest ? { ...log, warn() {} } : log),
    passwords: createPasswords(),
    uploadBuffers: createUploadBuffers(config, clock),
    longResponses: new LongResponses(config.limits, clock),
    throttle,
    callLimit: createCallLimit(config, clock),
    bus,
    mailer,
    messaging,
    webhookSender,
    endpoints: createEndpoints(),
    eventSecrets: createEventSecrets,
    tellPeersOfEnd: account => peerDeliveries.tellPeersOfEnd(account),
    enqueueMessages,
    readOffer: (account, url) => peerReads.readOffer(account, url),
    readPeerAccess: (call, id) => peerReads.readPeerAccess(call, id),
    copyReads,
    waitForAccepted: (...of) => peerDeliveries.waitForAccepted(...of),
    syslog,
    shard,
    methodIds: definitions.map(({ id }) => id),
    ...(authorizationStep ? { authorizationStep } : {})
  }
  const peerDeliveries: Deliveries = new Deliveries(services)
  const peerReads: PeerReads = new PeerReads(services, () => peerDeliveries.peers)
  const hooked = addHooks(definitions, createCmcHooks(peerDeliveries))
  const registry = new Registry(services, supportOlderIds(config, hooked))
  peerDeliveries.open(registry)
  closers.push(() => peerDeliveries.close())
  closers.push(() => peerReads.close())
  const writeMethods = findWriteMethods(hooked)
  const timed = addTimedTasks(timers, services, {
    isQuiet,
    createEvent: writeMethods.createEvent,
    getPeers: () => peerDeliveries.peers
  })
  closers.push(() => copyReads.flush())
  closers.push(...timed.map(each => () => each.close()))
  closers.push(() => timers.close())
  timers.open()
  imports.start(services, writeMethods, !isQuiet)
  closers.push(() => imports.close())
  const jobs = isQuiet
    ? undefined
    : startMaintenance(services, [account => peerDeliveries.startHealing(account)])
  closers.push(() => jobs?.stop())
  if (!isQuiet && shard.index === 0) {
    const growth = new GrowthLog(services, new DiskUsageMeter(layout.root, () => clock.now()))
    closers.push(() => growth.close())
  }
  const deliveries = new WebhookDeliveries(services, webhookSender)
  closers.push(() => deliveries.close(config.shutdownSeconds / 2))
  const resumeWork = (isAmong?: (username: string) => boolean): void => {
    void deliveries.start(isAmong)
    void peerDeliveries.resume(isAmong)
    void timers.resume(isAmong)
  }
  if (!isQuiet) resumeWork()
  return [
    services,
    registry,
    new LiveNotifier(services),
    new HolderUpdater(services),
    new TextIndexer(services),
    isAmong => {
      resumeWork(isAmong)
      imports.resumeAll()
    }
  ]
}
