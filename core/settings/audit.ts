/** Settings of the audit: what is recorded, for how long, and who else is told. */
import { Type } from 'typebox'
import { flag, formed, group, list, severity, text, upTo, whole } from './kinds.js'

const auditFieldNames =
  'userid type time streamIds streamId content created createdBy modified modifiedBy'.split(' ')

export const audit = group({
  active: flag('Record each call', true),
  retention: whole('Time for which records of calls are kept, seconds; 0: for ever', 31_536_000),
  strangersPerHour: whole(
    'Calls on an account without a valid token that are recorded in an hour; further ones are only counted',
    100
  ),
  brand: Type.String({
    default: 'coffer',
    pattern: '^[a-z0-9-]+$',
    description:
      'Name of the platform in the types of audit events, `audit-log/{brand}-api` and `…-api-error`'
  }),
  storage: group({
    filter: group({
      methods: group({
        include: list('Methods to record: ids, `{resource}.all`, or `all`', ['all']),
        exclude: list('Methods not to record, of those', [])
      })
    })
  }),
  syslog: group({
    host: formed('host', 'Host of a syslog that is told of each call, over UDP; empty: none'),
    port: Type.Integer({ default: 514, minimum: 1, maximum: 65535, description: 'Port of the syslog' }),
    appName: text('Name of the application in its messages', 'coffer'),
    facility: upTo('Number of the facility in its messages (13: audit)', 13, 23),
    level: severity('Severity of a call', 'notice'),
    errorLevel: severity('Severity of a call that was refused', 'warning'),
    template: Type.String({
      default: '{userid} {type} createdBy:{createdBy} {streamIds} {content}',
      pattern: `^([^{}]|\\{(${auditFieldNames.join('|')})(\\.\\w+)*\\})*$`,
      description:
        'Text of its messages: with fields of records, such as `{content}` or `{content.source.ip}`'
    }),
    filter: group({
      methods: group({
        include: list('Methods to tell the syslog of, as for records', ['all']),
        exclude: list('Methods not to tell it of, of those', [])
      })
    })
  })
})
