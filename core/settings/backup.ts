/** Settings of backups that the service makes by itself, and of where they go. (docs/operation.md#backups-by-themselves) */
import { isAbsolute } from 'node:path'
import { Type } from 'typebox'
import { flag, formText, group, path, secret, text, whole } from './kinds.js'
import type { TextFormName } from './text-forms.js'

/** How many of the latest backups of each kind are kept. */
const retention = (what: string, value: number) =>
  whole(`Latest ${what} of which a backup is kept, the last one of each`, value, 0, 1000)

export const backup = group({
  to: path(
    'Where the service makes backups by itself: a folder on another device, or s3://bucket/prefix; empty: it makes none',
    ''
  ),
  schedule: Type.String({
    default: '30 3 * * *',
    minLength: 1,
    form: 'schedule' satisfies TextFormName,
    description:
      'When, as cron has it (minute, hour, day of the month, month, day of the week), in the local time of the machine; one that was missed is made soon after the start'
  }),
  keep: group({
    days: retention('days', 7),
    weeks: retention('weeks', 4),
    months: retention('months', 12)
  }),
  verify: flag('Restore each backup to the side once it is made, to see that it is whole', true),
  passphraseFile: path(
    'File whose first line is the passphrase of these backups; empty: COFFER_BACKUP_PASSPHRASE, without which they are not encrypted',
    ''
  ),
  mailTo: Type.String({
    default: '',
    pattern: '^(?:[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+)?$',
    description: 'Address that is told when a backup fails; empty: nobody, but the log and /metrics'
  }),
  s3: group({
    endpoint: formText('webUrl', 'S3-compatible storage; empty: that of Amazon in the region'),
    region: text('Region of the bucket', 'us-east-1'),
    accessKey: secret('Access key'),
    secretKey: secret('Secret key')
  })
})

/** What is wrong with these settings. A relative folder would be another one wherever a command is run. */
export function findBackupProblems({ to }: { readonly to: unknown }): string[] {
  if (typeof to !== 'string' || to === '' || to.startsWith('s3:') || isAbsolute(to)) return []
  return [`backup.to has to be the absolute path of a folder, or s3://bucket/prefix, and not "${to}"`]
}
