/** The work that accounts have to do at certain times. */
import type { Services } from '../core/call/services.js'
import { createExpiryTask } from '../core/cmc/expiry.js'
import { LetterTask } from '../core/letters/letter-task.js'
import { createReminderTask } from '../core/reminders/firing.js'
import type { AccountTimers, TimedTask } from '../core/timers/account-timers.js'

/** Adds all kinds of work. `senders`: those that send something, which quiet processes must not do. */
export function addTimedTasks(
  timers: AccountTimers,
  services: Services,
  { isQuiet, senders }: { readonly isQuiet: boolean | undefined; readonly senders: readonly TimedTask[] }
): void {
  if (services.config.cmc.enabled) timers.add(createExpiryTask(services))
  if (isQuiet) return
  for (const task of [...senders, new LetterTask(services), createReminderTask(services)]) timers.add(task)
}
