/** Settings of mails to an operator about alarms. (docs/operation.md#mails-about-alarms) */
import { Type } from 'typebox'
import { group, seconds, integer } from '../kinds.js'

export const alarms = group({
  mailTo: Type.String({
    default: '',
    pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
    description:
      'Email address that receives alerts, and a notice when they are resolved. If empty, no alerts are sent'
  }),
  mailsPerHour: integer('Maximum number of alert emails per hour', 6, 1, 1000),
  everySeconds: seconds(
    'Interval between checks, in seconds. An alert is sent when two checks in a row find it',
    60
  ),
  freePercent: integer('Alert when less than this percentage of the disk is free. 0: no alert', 5, 0, 90)
})
