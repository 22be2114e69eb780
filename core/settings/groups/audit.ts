/** Settings of the audit: what is recorded, for how long, and whether it is also sent to a syslog. */
import { Type } from 'typebox'
import { flag, formText, group, list, severity, text, countUpTo, integer } from '../kinds.js'

const auditFieldNames =
  'userid type time streamIds streamId content created createdBy modified modifiedBy'.split(' ')

export const audit = group({
  active: flag('Record each call in the audit log', true),
  retention: integer('Time that audit records are kept, in seconds. 0: no limit', 31_536_000),
  strangersPerHour: integer(
    'Maximum number of calls without a valid token recorded per account and hour. Further calls are only counted',
    100
  ),
  brand: Type.String({
    default: 'coffer',
    pattern: '^[a-z0-9-]+$',
    description:
      'Name used in the types of audit events: `audit-log/{brand}-api` and `audit-log/{brand}-api-error`'
  }),
  storage: group({
    filter: group({
      methods: group({
        include: list('Methods to record: IDs, `{resource}.all` or `all`', ['all']),
        exclude: list('Methods to exclude', [])
      })
    })
  }),
  syslog: group({
    host: formText(
      'host',
      'Host of a syslog server that receives a message for each call, over UDP. If empty, none are sent'
    ),
    port: Type.Integer({
      default: 514,
      minimum: 1,
      maximum: 65535,
      description: 'Port of the syslog server'
    }),
    appName: text('Application name in syslog messages', 'coffer'),
    facility: countUpTo('Facility number in syslog messages. 13: audit', 13, 23),
    level: severity('Severity of a successful call', 'notice'),
    errorLevel: severity('Severity of a refused call', 'warning'),
    template: Type.String({
      default: '{userid} {type} createdBy:{createdBy} {streamIds} {content}',
      pattern: `^([^{}]|\\{(${auditFieldNames.join('|')})(\\.\\w+)*\\})*$`,
      description:
        'Text of syslog messages, with fields of audit records such as `{content}` or `{content.source.ip}`'
    }),
    filter: group({
      methods: group({
        include: list('Methods to send to syslog: IDs, `{resource}.all` or `all`', ['all']),
        exclude: list('Methods to exclude', [])
      })
    })
  })
})
