/** Opens the source of backups of a single server. */
import type { Settings } from '../../../core/settings/settings.js'
import type { Layout } from '../../../storage/files/layout.js'
import { openBucket } from '../../maintenance/bucket.js'
import { FolderSource } from './folder-source.js'

/** Returns a source that also reads attachments that are only in the bucket. */
export async function openFolderSource(layout: Layout, settings: Settings): Promise<FolderSource> {
  return new FolderSource(layout, await openBucket(layout, settings))
}
