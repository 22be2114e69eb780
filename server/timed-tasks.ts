/** The work that accounts have to do at certain times, besides delivering messages. (docs/architecture.md#timers) */
import type { Services } from '../core/call/services.js'
import { createExpiryTask } from '../core/cmc/expiry.js'
import { createReminderTask } from '../core/reminders/firing.js'
import type { TimedTask } from '../core/timers/account-timers.js'

/** Creates the tasks, by the settings. */
export function createTimedTasks(services: Services): TimedTask[] {
  const { cmc } = services.config
  return [...(cmc.enabled ? [createExpiryTask(services)] : []), createReminderTask(services)]
}
