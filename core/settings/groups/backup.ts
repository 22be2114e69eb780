/** Settings of automatic backups. (docs/operation.md#automatic-backups) */
import { isAbsolute } from 'node:path'
import { Type } from 'typebox'
import { flag, formText, group, path, secret, text, integer } from '../kinds.js'
import type { TextFormName } from '../text-forms.js'

/** How many of the latest backups of each kind are kept. */
const retention = (what: string, value: number) =>
  integer(`Number of ${what} backups to keep`, value, 0, 1000)

export const backup = group({
  to: path(
    'Destination of automatic backups: a folder on another device, or s3://bucket/prefix. If empty, automatic backups are off',
    ''
  ),
  schedule: Type.String({
    default: '30 3 * * *',
    minLength: 1,
    form: 'schedule' satisfies TextFormName,
    description:
      'Schedule of automatic backups as a cron expression (minute, hour, day of the month, month, day of the week), in the local time of the machine. A missed backup runs soon after the next start'
  }),
  keep: group({
    days: retention('daily', 7),
    weeks: retention('weekly', 4),
    months: retention('monthly', 12)
  }),
  verify: flag('Verify each backup by restoring it to a temporary folder', true),
  passphraseFile: path(
    'File whose first line is the passphrase for backups. If empty, COFFER_BACKUP_PASSPHRASE is used. Without either, backups are not encrypted',
    ''
  ),
  recipients: Type.Array(Type.String({ form: 'ageRecipient' satisfies TextFormName }), {
    default: [],
    maxItems: 20,
    description:
      'Public keys of age-keygen (age1…), instead of a passphrase. Restoring then needs the private key of one of them'
  }),
  mailTo: Type.String({
    default: '',
    pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
    description:
      'Email address that receives a message when a backup fails. If empty, failures appear only in the log and in /metrics'
  }),
  s3: group({
    endpoint: formText('webUrl', 'URL of an S3-compatible storage. If empty, Amazon S3 in the region'),
    region: text('Region of the S3 bucket', 'us-east-1'),
    accessKey: secret('S3 access key'),
    secretKey: secret('S3 secret key')
  })
})

/**
 * Returns the problems of these settings. A relative folder would depend on where a command is run. The values may be of
 * any type: the schema check reports wrong types.
 */
export function findBackupProblems({
  passphraseFile,
  recipients,
  to
}: Readonly<Record<string, unknown>>): string[] {
  const isRelative = typeof to === 'string' && to !== '' && !to.startsWith('s3:') && !isAbsolute(to)
  const hasBoth = Array.isArray(recipients) && recipients.length > 0 && passphraseFile !== ''
  return [
    ...(isRelative
      ? [`backup.to must be the absolute path of a folder, or s3://bucket/prefix, but is "${to}"`]
      : []),
    ...(hasBoth ? ['backup.recipients and backup.passphraseFile cannot both be set'] : [])
  ]
}
