/** How the composition root opens accounts and attachments. */
import { getAccountStreams } from '../core/account/fields.js'
import { createDigests } from '../core/integrity.js'
import type { Log } from '../core/log.js'
import type { Config } from '../core/settings/config.js'
import type { AccountsOptions } from '../storage/accounts-options.js'
import { DiskAttachments, type AttachmentStore } from '../storage/files/attachments.js'
import { Layout } from '../storage/files/layout.js'
import type { DurabilityProvider } from '../storage/wal/durability.js'
import { createWalSyncs } from '../storage/wal/sync.js'

interface StorageOptions {
  readonly attachments: AttachmentStore
  /** By default, commits are durable once they are on this disk. */
  readonly durability?: DurabilityProvider | undefined
}

/**
 * Returns the options for opening accounts. Without `durability`, the process exits if a write cannot be
 * synced to disk.
 */
export function accountsOptions(
  config: Config,
  log: Log,
  { attachments, durability }: StorageOptions
): AccountsOptions {
  return {
    ...config.storage,
    maxOpen: config.storage.maxOpenUsers,
    closingSeconds: config.shutdownSeconds / 8,
    policies: {
      digests: createDigests(config.integrity),
      versioning: config.versioning,
      system: getAccountStreams(config),
      anonymousCallsPerHour: config.audit.strangersPerHour
    },
    durability:
      durability ??
      withSharedFiles(
        createWalSyncs(new Layout(config.dataDir), error => {
          log.error('a write could not be synced to disk; stopping', { cause: error })
          process.exit(1)
        }),
        attachments
      ),
    onError: (accountId, cause) => log.error('an account database caused an error', { accountId, cause })
  }
}

/** Lets the deletion of an account remove its attachments from the bucket, if that is where they are. */
function withSharedFiles(syncs: DurabilityProvider, { removeAll }: AttachmentStore): DurabilityProvider {
  return removeAll ? { ...syncs, remove: removeAll } : syncs
}

/** Opens the attachments of a single server: on disk, or in the bucket that the settings name. */
export async function openAttachments(config: Config, log: Log): Promise<AttachmentStore> {
  const layout = new Layout(config.dataDir)
  if (config.attachments.objects === '') return new DiskAttachments(layout)
  const { openBucketAttachments } = await import('../cluster/objects/bucket-attachments.js')
  return openBucketAttachments(config.attachments, layout, cause =>
    log.error('attachments could not be removed from the cache', { cause })
  )
}
