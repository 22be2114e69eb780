/** What stands behind the transports: an engine in this thread, or several in threads of their own. */
import type { Config } from '../core/settings/config.js'
import { loadEventTypes } from '../core/event-types/directory.js'
import type { Gauges, Readiness } from './gauges.js'
import type { Notifier, Dispatcher } from '../core/call/dispatcher.js'
import { intakesOf } from '../core/security/intake.js'
import type { Log } from '../core/log.js'
import { LongAnswers } from '../core/security/long-answers.js'
import { methods } from '../core/methods/index.js'
import { ManualClock, type Clock } from '../core/time.js'
import { Accounts } from '../storage/accounts.js'
import { DiskAttachments } from '../storage/files/attachments.js'
import { Layout } from '../storage/files/layout.js'
import { PlatformStore } from '../storage/platform/platform-store.js'
import { ExportDrafts } from '../storage/transfer/export-drafts.js'
import { accountsOptions, Runtime, loadMethods } from './runtime.js'
import { Workers } from './workers/workers.js'

export interface Host {
  readonly dispatcher: Dispatcher
  readonly feed: Notifier
  /** The engine, where it runs in this thread. */
  readonly engine?: Runtime
  /** How busy it is. */
  gauges(): Promise<Gauges> | Gauges
  /** Whether it is of use. */
  readiness(): Promise<Readiness>
  /** Brings up to date what otherwise follows within a second, such as holders of series. */
  settle(): Promise<void>
  /** Ends what works by itself, and the telling of changes. Calls are still answered. */
  drain(): Promise<void>
  /** Closes everything; no call may be under way. */
  close(): Promise<void>
}

export interface HostOptions {
  readonly clock: Clock
  readonly log: Log
  /** Modules with methods beside the API's own. */
  readonly methodModules: readonly string[]
}

/** Opens the data directory and begins to work, as the setting `workers` says. */
export async function startHost(config: Config, options: HostOptions): Promise<Host> {
  if (config.workers > 0) return await startWorkers(config, options)
  const engine = await Runtime.start(config, { ...options, share: { index: 0, count: 1 }, isGuest: false })
  return {
    dispatcher: engine.registry,
    feed: engine.feed,
    engine,
    gauges: () => engine.gauges(),
    readiness: () => engine.readiness(),
    settle: () => engine.settle(),
    drain: () => engine.drain(),
    close: () => engine.close()
  }
}

async function startWorkers(config: Config, { clock, log, methodModules }: HostOptions): Promise<Host> {
  const layout = new Layout(config.dataDir)
  const platform = new PlatformStore(layout)
  let unfollow: (() => void) | undefined
  try {
    // It opens no user's file, but looks after the directory before the threads do theirs.
    const accounts = new Accounts(layout, platform, { ...accountsOptions(config, log), owns: () => false })
    const workers = await Workers.start({
      core: {
        config,
        clock,
        log,
        accounts,
        attachments: new DiskAttachments(layout),
        exports: new ExportDrafts(layout),
        intakes: intakesOf(config, clock),
        longAnswers: new LongAnswers(config.limits, clock),
        eventTypes: await loadEventTypes(config, log)
      },
      definitions: [...methods, ...(await loadMethods(methodModules))],
      count: config.workers,
      methodModules,
      ...(clock instanceof ManualClock && { frozenAt: clock.now() }),
      forget: username => accounts.forget(username),
      onFatal(cause) {
        log.error('a thread has ended: stopping', { cause })
        process.exit(1)
      }
    })
    if (clock instanceof ManualClock) unfollow = clock.follow(seconds => workers.advance(seconds))
    return {
      dispatcher: workers,
      feed: workers,
      gauges: () => workers.gauges(),
      readiness: () => workers.readiness(),
      settle: () => workers.settle(),
      drain: () => workers.quieten(),
      async close() {
        unfollow?.()
        await workers.close()
        await accounts.close()
        platform.close()
      }
    }
  } catch (error) {
    platform.close()
    throw error
  }
}
