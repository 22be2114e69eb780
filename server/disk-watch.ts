/** Keeps the reserve of disk space: tells when it has been given up, and makes it again once there is room. */
import type { Log } from '../core/log.js'
import type { DiskReserve } from '../storage/files/disk-reserve.js'

/** Time between looks, in milliseconds. */
const everyMs = 2000

/** Makes the reserve, and looks after it until the process ends. */
export function watchReserve(reserve: DiskReserve, directory: string, log: Log): void {
  let wasReleased = false
  const look = (): void => {
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
  const timer = setInterval(look, everyMs).unref()
  look()
}
