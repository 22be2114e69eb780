/** Settings of mails to an operator about alarms. (docs/operation.md#mails-about-alarms) */
import { Type } from 'typebox'
import { group, seconds, whole } from './kinds.js'

export const alarms = group({
  mailTo: Type.String({
    default: '',
    pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
    description:
      'Address that is told when something begins that an operator has to look after, and when it is over; empty: nobody'
  }),
  mailsPerHour: whole('Most mails of that kind in an hour', 6, 1, 1000),
  everySeconds: seconds('Time between two looks, seconds: what is seen twice is told', 60),
  freePercent: whole('An alarm is that less of the disk is free, in percent; 0: none', 5, 0, 90)
})
