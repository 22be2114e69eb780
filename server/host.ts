/** Runs the core behind the transports: in this thread, in several worker threads, or as a node of a cluster. */
import type { Config } from '../core/settings/config.js'
import { loadEventTypes } from '../core/event-types/directory.js'
import { createUploadBuffers } from '../core/security/upload-buffer.js'
import { LongResponses } from '../core/security/long-responses.js'
import { wholeShard } from '../core/call/shard.js'
import { methods } from '../core/methods/index.js'
import { ManualClock } from '../core/time.js'
import { Accounts } from '../storage/accounts.js'
import { DiskReserve } from '../storage/files/disk-reserve.js'
import { Layout } from '../storage/files/layout.js'
import { PlatformStore } from '../storage/platform/platform-store.js'
import { ExportDrafts } from '../storage/transfer/export-drafts.js'
import type { Host, HostOptions } from './host-interface.js'
import { loadMethods } from './load-modules.js'
import { accountsOptions, openAttachments } from './open-storage.js'
import { Runtime } from './runtime.js'
import { Workers } from './workers/workers.js'

/**
 * Opens the data directory and starts the runtime, or as many worker threads as the setting `workers` says, or a node of a
 * cluster.
 */
export async function startHost(config: Config, options: HostOptions): Promise<Host> {
  if (config.cluster.node !== '')
    return await (await import('./nodes/start-node.js')).startNode(config, options)
  if (config.workers > 0) return await startWorkers(config, options)
  const runtime = await Runtime.start(config, { ...options, shard: wholeShard, isGuest: false })
  return {
    dispatcher: runtime.registry,
    notifier: runtime.feed,
    platform: runtime.services.platform,
    runtime,
    gauges: () => runtime.gauges(),
    readiness: () => runtime.readiness(),
    settle: () => runtime.settle(),
    drain: () => runtime.drain(),
    close: () => runtime.close()
  }
}

/** Starts the worker threads. The service exits if one of them does. */
async function startWorkers(config: Config, { clock, log, methodModules }: HostOptions): Promise<Host> {
  const layout = new Layout(config.dataDir)
  const platform = new PlatformStore(layout, new DiskReserve(layout))
  let stopFollowingClock: (() => void) | undefined
  try {
    platform.assertNotFollowing()
    // This thread opens no user files, but maintains the directory before the worker threads open theirs.
    const attachments = await openAttachments(config, log)
    const accounts = new Accounts(layout, platform, {
      ...accountsOptions(config, log, { attachments }),
      owns: () => false
    })
    const workers = await Workers.start({
      services: {
        config,
        clock,
        log,
        accounts,
        authRequests: platform.authRequests,
        catchUp: () => platform.catchUp(),
        attachments,
        exports: new ExportDrafts(layout),
        uploadBuffers: createUploadBuffers(config, clock),
        longResponses: new LongResponses(config.limits, clock),
        eventTypes: await loadEventTypes(config, log)
      },
      definitions: [...methods, ...(await loadMethods(methodModules))].filter(
        each => !each.isInternal && !each.isRemoved?.(config)
      ),
      count: config.workers,
      methodModules,
      ...(clock instanceof ManualClock && { frozenAt: clock.now() }),
      toShardName: name => platform.usernames.getShardName(name),
      forget: username => accounts.uncache(username),
      onFatal(cause) {
        log.error('a worker thread exited; stopping', { cause })
        process.exit(1)
      }
    })
    if (clock instanceof ManualClock)
      stopFollowingClock = clock.onAdvance(seconds => workers.advance(seconds))
    return {
      dispatcher: workers,
      notifier: workers,
      platform,
      gauges: () => workers.gauges(),
      readiness: () => workers.readiness(),
      settle: () => workers.settle(),
      drain: () => workers.drain(),
      async close() {
        stopFollowingClock?.()
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
