/** The attachments of a single server, for commands: on the disk, or also in a bucket. */
import type { SharedAttachments } from '../../cluster/objects/shared-attachments.js'
import type { Settings } from '../../core/settings/settings.js'
import { DiskAttachments, type AttachmentStore } from '../../storage/files/attachments.js'
import type { Layout } from '../../storage/files/layout.js'

/** Opens the bucket that the settings name; `undefined` if attachments are only on the disk. */
export async function openBucket(
  layout: Layout,
  { attachments }: Pick<Settings, 'attachments'>
): Promise<SharedAttachments | undefined> {
  if (attachments.objects === '') return undefined
  const { openBucketAttachments } = await import('../../cluster/objects/bucket-attachments.js')
  return openBucketAttachments(attachments, layout, ({ message }) =>
    console.error(`Attachments could not be removed from the cache: ${message}`)
  )
}

/** Opens the attachments, wherever they are. */
export async function openAttachments(layout: Layout, settings: Settings): Promise<AttachmentStore> {
  return (await openBucket(layout, settings)) ?? new DiskAttachments(layout)
}
