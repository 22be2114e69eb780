/** Queues the messages of a rule, in the transaction that stores its state. (docs/api/rules.md#messages) */
import type { Rule } from '../../schemas/rule.js'
import type { Call } from '../call/method.js'
import { listOwnChannels } from '../channels/rules.js'
import { queueMessage } from '../channels/queue-message.js'
import { isMomentary, type Telling } from './episodes.js'
import { describeTelling } from './texts.js'

/**
 * Queues messages for the channels of a rule that its access may use. A message about what is over has low
 * urgency.
 */
export function tell(call: Call, rule: Rule, tellings: readonly Telling[]): void {
  const { store } = call
  const channelIds = listOwnChannels(call, rule)
  for (const telling of tellings) {
    const { acknowledge, open, text, title } = describeTelling(store, rule, telling)
    const { episode, kind, repeat, time } = telling
    const page = `alerts/${rule.id}`
    const key = `rule:${rule.id}:${episode}`
    const fired = repeat === 0 ? key : `${key}:${repeat}`
    queueMessage(call, {
      key: kind === 'fired' ? fired : `${key}:recovered`,
      channelIds,
      title,
      text,
      urgency: kind === 'fired' ? rule.urgency : 'low',
      page,
      actions: [
        ...(kind === 'fired' && !isMomentary(rule)
          ? [{ id: 'acknowledge', title: acknowledge, page: `${page}?acknowledge=${time}` }]
          : []),
        { id: 'open', title: open, page }
      ],
      source: { kind: 'rule', id: rule.id }
    })
  }
}
