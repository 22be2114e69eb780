/**
 * Everything that runs where the users' files are open: the core with its methods, what listens to changes, and what has
 * to be done now and then. One owns all users, or several, each in a thread of its own, share them by name.
 */
import { LocalChangeBus } from '../core/changes.js'
import { createCallLimit } from '../core/security/call-limit.js'
import type { Config } from '../core/settings/config.js'
import { loadEventTypes } from '../core/event-types/directory.js'
import { sealsOf } from '../core/integrity.js'
import { accountStreams } from '../core/account/fields.js'
import { startJobs } from '../core/platform/daily.js'
import { LiveNotifier } from '../core/notifications/live-notifier.js'
import type { Gauges, Readiness } from './gauges.js'
import { intakesOf } from '../core/security/intake.js'
import type { Log } from '../core/log.js'
import { LongAnswers } from '../core/security/long-answers.js'
import { Mailer } from '../core/outgoing/mail/mailer.js'
import { mailTransportOf } from '../core/outgoing/mail/mail-transport.js'
import type { AnyMethod } from '../core/call/method.js'
import { Messaging } from '../core/outgoing/messaging.js'
import { methods } from '../core/methods/index.js'
import { withOlderIds } from '../core/account/older-ids.js'
import { createPasswords } from '../core/security/passwords.js'
import { Previews } from '../core/previews/previews.js'
import { Registry } from '../core/dispatch/registry.js'
import { HolderFollower } from '../core/series/follow.js'
import { shardOf, type Shard } from '../core/call/shard.js'
import { SharedThrottle } from '../core/security/shared-throttle.js'
import { createThrottle } from '../core/security/throttle.js'
import type { Clock } from '../core/time.js'
import { Deliveries } from '../core/notifications/webhook-deliveries.js'
import { WebhookSender } from '../core/outgoing/webhook-sender.js'
import { Accounts, type AccountsOptions } from '../storage/accounts.js'
import { DiskAttachments } from '../storage/files/attachments.js'
import { Layout } from '../storage/files/layout.js'
import { PlatformStore } from '../storage/platform/platform-store.js'
import { PreviewCache } from '../storage/files/previews.js'
import { canWrite } from '../storage/files/probe.js'
import { Spools } from '../storage/files/spool.js'
import { ExportDrafts } from '../storage/transfer/export-drafts.js'
import { loadAuthorizationStep } from './authorization-step.js'
import { createRenderer } from './pictures.js'
import { endpoints } from '../transports/http/endpoints.js'
import { UdpSyslog } from './syslog.js'
import type { Services } from '../core/call/services.js'

export interface RuntimeOptions {
  readonly clock: Clock
  readonly log: Log
  /** Whose files are opened here. */
  readonly share: Shard
  /** Whether somebody else looks after the data directory itself. */
  readonly isGuest: boolean
  /** Only answers calls: no daily work, and webhooks are not told of a start. */
  readonly isQuiet?: boolean
  /** Modules with methods beside the API's own. */
  readonly methodModules: readonly string[]
}

export class Runtime {
  private constructor(
    readonly core: Services,
    readonly registry: Registry,
    readonly feed: LiveNotifier,
    private readonly follower: HolderFollower,
    private readonly closers: (() => Promise<void> | void)[]
  ) {}

  /** Opens the data directory and begins to work. Rejects, with everything closed again, when it cannot be used. */
  static async start(config: Config, options: RuntimeOptions): Promise<Runtime> {
    const closers: (() => Promise<void> | void)[] = []
    try {
      return await build(config, options, closers, (...parts) => new Runtime(...parts, closers))
    } catch (error) {
      await closeAll(closers)
      throw error
    }
  }

  /** How busy it is. */
  gauges(): Gauges {
    const { accounts, mailer, passwords, previews, webhookSender } = this.core
    const { running, waiting } = webhookSender.load
    return {
      openUserFiles: accounts.openCount,
      passwordsWaiting: passwords.waiting,
      previewsWaiting: previews.waiting,
      mailsWaiting: mailer.waiting,
      webhooksWaiting: waiting,
      webhooksRunning: running
    }
  }

  /** Whether it is of use. */
  async readiness(): Promise<Readiness> {
    return { platform: answers(this.core), disk: await canWrite(new Layout(this.core.config.dataDir)) }
  }

  /** Brings up to date what otherwise follows within a second, such as holders of series. */
  async settle(): Promise<void> {
    await this.follower.catchUp()
  }

  /** Ends what works by itself, and the telling of changes. Calls are still answered. */
  async drain(): Promise<void> {
    await this.follower.close()
    this.feed.close()
  }

  /** Closes everything; no call may be under way. */
  async close(): Promise<void> {
    await closeAll(this.closers)
  }
}

function answers({ platform }: Services): boolean {
  try {
    platform.listActive('', 1)
    return true
  } catch {
    return false
  }
}

type Parts = [Services, Registry, LiveNotifier, HolderFollower]

async function build(
  config: Config,
  { clock, isGuest, isQuiet, log, methodModules, share }: RuntimeOptions,
  closers: (() => Promise<void> | void)[],
  made: (...parts: Parts) => Runtime
): Promise<Runtime> {
  const layout = new Layout(config.dataDir)
  const platform = new PlatformStore(layout)
  closers.push(() => platform.close())
  const accounts = new Accounts(layout, platform, {
    ...accountsOptions(config, log),
    maxOpen: Math.ceil(config.storage.maxOpenUsers / share.count),
    // Asked several times in each call: where there is one share, nothing needs to be worked out.
    ...(share.count > 1 && { owns: (username: string) => shardOf(username, share.count) === share.index }),
    isGuest
  })
  closers.push(() => accounts.close())
  const authorizationStep = await loadAuthorizationStep(config.auth.authorizationStep)
  const webhookSender = new WebhookSender(inShare(config, share), clock)
  const mailer = new Mailer({ config, clock, log, transport: mailTransportOf(config) })
  closers.push(() => mailer.close(config.shutdownSeconds / 4))
  const attachments = new DiskAttachments(layout)
  const ownThrottle = createThrottle(config, clock)
  const { peers } = share
  const throttle = peers ? new SharedThrottle(ownThrottle, note => peers.note(note)) : ownThrottle
  const { host, port } = config.audit.syslog
  const syslog = host === '' ? undefined : new UdpSyslog(host, port, log)
  closers.push(() => syslog?.close())
  const messaging = new Messaging(config)
  closers.push(() => messaging.close())
  const definitions = [...methods, ...(await loadMethods(methodModules))]
  const core: Services = {
    config,
    clock,
    log,
    platform,
    accounts,
    attachments,
    exports: new ExportDrafts(layout),
    spools: new Spools(layout, Math.ceil(config.limits.spoolBytes / share.count)),
    previews: new Previews(
      { accounts, attachments, clock, config, log },
      new PreviewCache(layout),
      createRenderer(config.previews)
    ),
    // Of what is left out whoever looks after the directory tells, once.
    eventTypes: await loadEventTypes(config, isGuest ? { ...log, warn() {} } : log),
    passwords: createPasswords(),
    intakes: intakesOf(config, clock),
    longAnswers: new LongAnswers(config.limits, clock),
    throttle,
    callLimit: createCallLimit(config, clock),
    bus: new LocalChangeBus(cause => log.error('a listener failed', { cause })),
    mailer,
    messaging,
    webhookSender,
    endpoints: endpoints(),
    syslog,
    share,
    methodIds: definitions.map(({ id }) => id),
    ...(authorizationStep ? { authorizationStep } : {})
  }
  const registry = new Registry(core, withOlderIds(config, definitions))
  const jobs = isQuiet ? undefined : startJobs(core)
  closers.push(() => jobs?.stop())
  const deliveries = new Deliveries(core, webhookSender)
  closers.push(() => deliveries.close(config.shutdownSeconds / 2))
  if (!isQuiet) void deliveries.start()
  return made(core, registry, new LiveNotifier(core), new HolderFollower(core))
}

/** How accounts are opened, as the settings say. */
export function accountsOptions(config: Config, log: Log): AccountsOptions {
  return {
    ...config.storage,
    maxOpen: config.storage.maxOpenUsers,
    closingSeconds: config.shutdownSeconds / 8,
    keeping: {
      digests: sealsOf(config.integrity),
      versioning: config.versioning,
      system: accountStreams(config),
      strangersPerHour: config.audit.strangersPerHour
    },
    onSyncFailure: error => {
      log.error('a write could not be synced to disk: stopping', { cause: error })
      process.exit(1)
    },
    onTrouble: (accountId, cause) => log.error('trouble with the file of an account', { accountId, cause })
  }
}

/** The configuration with the pace of webhooks that one of several threads may keep. */
function inShare(config: Config, { count }: Shard): Config {
  const { concurrency, perSecond } = config.webhooks
  const [calls, pace] = [concurrency, perSecond].map(most => Math.max(1, Math.round(most / count)))
  return { ...config, webhooks: { ...config.webhooks, concurrency: calls!, perSecond: pace! } }
}

/** Methods beside the API's own: the `methods` that modules export. */
export async function loadMethods(modules: readonly string[]): Promise<AnyMethod[]> {
  const loaded = await Promise.all(modules.map(async url => (await import(url)) as { methods: AnyMethod[] }))
  return loaded.flatMap(module => module.methods)
}

/** The last opened is the first closed. */
async function closeAll(closers: (() => Promise<void> | void)[]): Promise<void> {
  while (closers.length > 0) await closers.pop()!()
}
