/** Queues the messages of a rule, in the transaction that stores its state. (docs/api/rules.md#messages) */
import type { Rule } from '../../schemas/rule.js'
import type { Call } from '../call/method.js'
import { queueMessage } from '../channels/queue-message.js'
import type { Telling } from './episodes.js'
import { describeTelling } from './texts.js'

/** Queues messages for the channels of a rule that its access may use. */
export function tell(call: Call, rule: Rule, tellings: readonly Telling[]): void {
  const { store } = call
  const isPersonal = store.accesses.findEver(rule.accessId)?.type === 'personal'
  const channelIds = rule.channelIds.filter(id => {
    const channel = store.channels.find(id)?.channel
    return channel !== undefined && (isPersonal || channel.accessId === rule.accessId)
  })
  for (const telling of tellings) {
    const { open, text, title } = describeTelling(store, rule, telling)
    const page = `alerts/${rule.id}`
    const key = `rule:${rule.id}:${telling.episode}`
    queueMessage(call, {
      key: telling.kind === 'fired' ? key : `${key}:recovered`,
      channelIds,
      title,
      text,
      urgency: telling.kind === 'fired' ? rule.urgency : 'low',
      page,
      actions: [{ id: 'open', title: open, page }],
      source: { kind: 'rule', id: rule.id }
    })
  }
}
