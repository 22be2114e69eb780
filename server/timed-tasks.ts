/** The work that accounts have to do at certain times. (docs/architecture.md#timers) */
import type { UserMethod } from '../core/call/method.js'
import type { Services } from '../core/call/services.js'
import { ChannelDeliveries } from '../core/channels/channel-deliveries.js'
import { createExpiryTask } from '../core/cmc/expiry.js'
import type { PeerCalls } from '../core/cmc/peers/peer-calls.js'
import { LetterTask } from '../core/letters/letter-task.js'
import { MirrorCopies } from '../core/mirrors/mirror-copies.js'
import { createReminderTask } from '../core/reminders/firing.js'
import { RuleWatch } from '../core/rules/rule-watch.js'
import type { AccountTimers } from '../core/timers/account-timers.js'
import { SetBackTask } from './set-back.js'

/** What the work needs besides the services. */
interface TimedTasksOptions {
  /** True for processes that send nothing, such as commands. */
  readonly isQuiet: boolean | undefined
  readonly createEvent: UserMethod
  readonly getPeers: () => PeerCalls
}

/**
 * Adds all kinds of work. Returns what has to be closed. With `isQuiet`, only the expiry of peers' accesses is added.
 */
export function addTimedTasks(
  timers: AccountTimers,
  services: Services,
  { createEvent, getPeers, isQuiet }: TimedTasksOptions
): readonly { close(): Promise<void> | void }[] {
  const channels = new ChannelDeliveries(services, createEvent)
  const rules = new RuleWatch(services)
  const mirrors = new MirrorCopies(services, getPeers)
  const setBack = new SetBackTask(services)
  if (services.config.cmc.enabled) timers.add(createExpiryTask(services))
  if (!isQuiet) {
    const others = [new LetterTask(services), createReminderTask(services)]
    for (const task of [channels, rules, mirrors, setBack, ...others]) timers.add(task)
  }
  return [channels, rules, mirrors, setBack]
}
