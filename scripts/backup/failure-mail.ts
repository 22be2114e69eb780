/** The email that tells the operator about failed backups. */
import { toConfig } from '../../core/settings/config.js'
import type { Log } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import { systemClock } from '../../core/time.js'
import { version } from '../../core/version.js'
import { Mailer } from '../../core/outgoing/mail/mailer.js'
import { createMailTransport } from '../../core/outgoing/mail/mail-transport.js'

/**
 * Sends an email to `backup.mailTo` about failed backups. `succeeded`: time of the last successful backup, in
 * seconds. Does nothing without `backup.mailTo`. Waits until the email is sent or its time is over; a failure
 * is only logged.
 */
export async function sendFailureMail(
  settings: Settings,
  log: Log,
  problem: string,
  succeeded: number | undefined
): Promise<void> {
  const { mailTo, to } = settings.backup
  if (mailTo === '') return
  const config = toConfig(settings, version, settings.port)
  const mailer = new Mailer({ config, clock: systemClock, log, transport: createMailTransport(config) })
  mailer.send(async () => ({
    kind: 'backupFailed',
    accountId: '',
    username: '',
    email: mailTo,
    language: config.services.email.defaultLang,
    substitutions: {
      SERVICE: config.service.name,
      PLACE: to,
      PROBLEM: problem,
      LAST: succeeded === undefined ? '–' : new Date(succeeded * 1000).toISOString()
    }
  }))
  await mailer.close(config.services.email.timeoutMs / 1000)
}
