/** `coffer move-attachments`: copies all attachments to the bucket of the settings, or back to the disk. */
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { openBucket } from '../maintenance/bucket.js'
import { formatCount, type JsonOption, printResult } from '../terminal/output.js'
import { loadExistingDirectory } from '../terminal/directory.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { OperatorError } from '../terminal/request-service.js'
import { withProgressBar } from '../terminal/progress.js'

export interface MoveAttachmentsOptions extends JsonOption {
  readonly to: string
}

/**
 * Copies what is missing at the destination, whether or not a service is running, and prints the number. Files that are
 * in both places stay there: on the disk they are a cache. An interrupted run is continued by the next one.
 * Throws {@link UsageError} if the settings name no bucket, or would remove files from the disk again, and `OperatorError` if the bucket cannot be used.
 */
export async function moveAttachments(
  args: readonly string[],
  { json, to }: MoveAttachmentsOptions
): Promise<void> {
  const { flags } = splitArguments(args)
  if (to !== 'bucket' && to !== 'disk') throw new UsageError('--to must be bucket or disk')
  const { layout, settings } = loadExistingDirectory(flags)
  const bucket = await openBucket(layout, settings)
  if (!bucket) throw new UsageError('Set attachments.objects to the bucket first')
  const cacheBytes = to === 'disk' ? settings.attachments.cacheBytes : 0
  if (cacheBytes > 0)
    throw new UsageError(
      'Set attachments.cacheBytes to 0 first, or files would be removed from the disk again'
    )
  const inspection = new PlatformInspection(layout)
  let copied = 0
  try {
    await withProgressBar(json, async progress => {
      progress?.begin(inspection.countAccounts())
      let done = 0
      for (const { id, state } of inspection.accounts()) {
        if (state === 'active') copied += await (to === 'bucket' ? bucket.share(id) : bucket.fetchAll(id))
        progress?.step(++done)
      }
    })
  } catch (error) {
    const { message } =
      error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error)
    throw new OperatorError(`The bucket cannot be used (copied: ${copied}): ${message}`)
  } finally {
    inspection.close()
  }
  await bucket.waitUntilSettled()
  printResult(json, { to, copied }, `${formatCount(copied, 'attachment')} copied to the ${to}`)
}
