/** Maintains the reserve of disk space: logs when it has been released, and recreates it once there is free space. */
import type { Log } from '../core/log.js'
import type { DiskReserve } from '../storage/files/disk-reserve.js'

/** Time between checks, in milliseconds. */
const intervalMs = 2000

/**
 * Creates the reserve, and checks it until the process ends. Logs when the disk is full, and when it has
 * space again. Ends, with a warning, if the reserve cannot be checked.
 */
export function watchDiskReserve(reserve: DiskReserve, directory: string, log: Log): void {
  let wasReleased = false
  const check = (): void => {
    try {
      reserve.create()
      const { isReleased } = reserve
      if (isReleased && !wasReleased) {
        const megabytes = Math.ceil(reserve.neededBytes / 1e6)
        log.warn(
          `the disk of ${directory} is full; writes are refused (507) until ${megabytes} MB are free, reads still work`
        )
      }
      if (wasReleased && !isReleased)
        log.info(`the disk of ${directory} has free space again; writes are accepted`)
      wasReleased = isReleased
    } catch (cause) {
      clearInterval(timer)
      log.warn('the reserved disk space could not be checked', { cause })
    }
  }
  const timer = setInterval(check, intervalMs).unref()
  check()
}
