/** Opens the place of a backup by its address. */
import { BackupError } from './backup-error.js'
import { FolderPlace } from './folder-place.js'
import type { Place, StorageSettings } from './place.js'
import { S3Place } from './s3-place.js'

/**
 * Opens the place of a backup. `to`: a folder, or `s3://bucket/prefix`. `isNew`: creates a missing folder. Throws
 * {@link BackupError}.
 */
export async function openPlace(to: string, settings: StorageSettings, isNew: boolean): Promise<Place> {
  if (!to.startsWith('s3:')) return FolderPlace.open(to, isNew)
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9_][A-Za-z0-9._/-]*))?$/.exec(to) ?? []
  if (bucket === undefined)
    throw new BackupError(`${to} is not a valid bucket. Use s3://bucket or s3://bucket/prefix`)
  return await S3Place.open(
    bucket,
    prefix
      .split('/')
      .filter(part => part !== '')
      .join('/'),
    settings
  )
}
